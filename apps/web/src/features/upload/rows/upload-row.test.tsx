// @vitest-environment happy-dom

import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { newItem, type UploadItem } from '@satchel/client/send/list/queue';
import { AppError } from '@satchel/contract/errors';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '../../../lib/texts/language.ts';
import { UploadRow } from './upload-row.tsx';

/** What a row of the list asks before it ends an upload. */

const MIB = 1024 ** 2;
const actions = {
  pause: vi.fn(),
  resume: vi.fn(),
  cancel: vi.fn(),
  remove: vi.fn(),
  retry: vi.fn(),
  rechoose: vi.fn(),
};

beforeEach(() => startLanguage());
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
  vi.restoreAllMocks();
});

function show(changes: Partial<UploadItem>): void {
  const chosen = { file: new File(['x'], 'film.bin'), name: 'film.bin', path: 'film.bin' };
  const item: UploadItem = { ...newItem('1', chosen, true), sizeBytes: 9 * MIB, status: 'uploading', ...changes };
  render(
    <I18nProvider i18n={i18n}>
      <ul>
        <UploadRow item={item} actions={actions} isTabStop />
      </ul>
    </I18nProvider>,
  );
}
const click = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('Cancel asks where bytes of a large file are on the server', () => {
  show({ bytesUploaded: 4 * MIB });
  click('Cancel');
  screen.getByRole('alertdialog', { name: 'Cancel this upload?' });
  click('Keep');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(actions.cancel).not.toHaveBeenCalled();
  click('Cancel');
  click('Yes, Cancel');
  return vi.waitFor(() => expect(actions.cancel).toHaveBeenCalledWith('1'), WAIT_MS);
});

test.each([
  ['a small file, which is sent whole', { sizeBytes: MIB, bytesUploaded: 4 }],
  ['a file of which nothing was sent', { bytesUploaded: 0 }],
])('Cancel ends %s at once', (_what, changes) => {
  show(changes);
  click('Cancel');
  expect(actions.cancel).toHaveBeenCalledWith('1');
});

test('a file that changed offers Choose it again in place of Retry, and takes the chosen file', () => {
  show({ status: 'error', error: new AppError('upload.changed_file') });
  screen.getByText(/^Error: The file was changed, moved or deleted after it was chosen\. Choose it again/);
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
  let chooser: HTMLInputElement | null = null;
  vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(function (this: HTMLInputElement) {
    chooser = this;
  });
  click('Choose it again');
  expect(actions.rechoose).not.toHaveBeenCalled();
  const again = new File(['another film'], 'film.bin');
  fireEvent.change(chooser!, { target: { files: [again] } });
  expect(actions.rechoose).toHaveBeenCalledExactlyOnceWith('1', again);
});

test('another error offers Retry, and no other choice of the file', () => {
  show({ status: 'error', error: new AppError('upload.gone') });
  expect(screen.queryByRole('button', { name: 'Choose it again' })).toBeNull();
  click('Retry');
  expect(actions.retry).toHaveBeenCalledWith('1');
});

test('a sound has its own icon', () => {
  show({ name: 'horn.wav', mimeType: 'audio/wav' });
  expect(document.querySelector('li svg')?.getAttribute('class')).toContain('headphone');
});
