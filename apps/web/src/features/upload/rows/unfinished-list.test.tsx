// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '../../../lib/texts/language.ts';
import { UnfinishedList } from './unfinished-list.tsx';

beforeEach(() => startLanguage());
afterEach(cleanup);

const uploadOf = (id: string) => ({
  id,
  place: id,
  fingerprint: id,
  name: `${id}.bin`,
  directory: '',
  sizeBytes: 9,
  percent: 3,
});

/** @param findable files that this browser finds by itself */
function show(ids: readonly string[], findable: readonly string[] = []) {
  const acts = { resume: vi.fn(), resumeAll: vi.fn(), discard: vi.fn(), discardAll: vi.fn() };
  const work = { uploads: ids.map(uploadOf), findable, notBegun: [], elsewhere: 0 };
  const onPickFiles = vi.fn();
  render(
    <I18nProvider i18n={i18n}>
      <UnfinishedList unfinished={{ work, ...acts }} onPickFiles={onPickFiles} />
    </I18nProvider>,
  );
  return onPickFiles;
}

test('one file is asked for in the singular, several in the plural', () => {
  const onPickFiles = show(['a']);
  fireEvent.click(screen.getByRole('button', { name: 'Choose the File Again' }));
  expect(onPickFiles).toHaveBeenCalled();
  cleanup();
  show(['a', 'b', 'c'], ['a']);
  screen.getByRole('button', { name: 'Choose the Files Again' });
  screen.getByText(/^Resume the uploads that have a Resume button, and choose the other files again/);
  cleanup();
  show(['a', 'b'], ['a']);
  screen.getByRole('button', { name: 'Choose the File Again' });
});

test('no button asks for files that this browser finds by itself', () => {
  show(['a'], ['a']);
  expect(screen.queryByRole('button', { name: /^Choose/ })).toBeNull();
});

test('only several are discarded at once: one has its own button for that', () => {
  show(['a']);
  expect(screen.queryByRole('button', { name: 'Discard All' })).toBeNull();
  screen.getByRole('button', { name: 'Discard' });
  cleanup();
  show(['a', 'b']);
  screen.getByRole('button', { name: 'Discard All' });
});
