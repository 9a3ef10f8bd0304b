// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { TextFace } from './still-picture.tsx';

/** What a card shows of an opened text. */

afterEach(cleanup);
const openedText = (text: string) => {
  const blob = new Blob([text]);
  return { blob, objectUrl: null, name: 'note.txt', type: 'text/plain', sizeBytes: blob.size };
};

test('a card that is scrolled away and back shows its first lines at once', async () => {
  const opened = openedText('The ferry leaves at nine.');
  const { unmount } = render(<TextFace opened={opened} />);
  await screen.findByText('The ferry leaves at nine.');
  unmount();
  render(<TextFace opened={opened} />);
  screen.getByText('The ferry leaves at nine.');
});

test('a card shows the lines of its file as it is now, and none of what is no text', async () => {
  const { rerender, container } = render(<TextFace opened={openedText('Nine.')} />);
  await screen.findByText('Nine.');
  rerender(<TextFace opened={openedText('Nine.')} />);
  await screen.findByText('Nine.');
  rerender(<TextFace opened={openedText('a\0b')} />);
  expect(container.textContent).toBe('');
});
