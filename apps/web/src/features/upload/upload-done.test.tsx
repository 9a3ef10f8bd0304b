// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { countItems, EMPTY_QUEUE, newItem, type UploadItem } from '@satchel/client/send/list/queue';
import { AppError } from '@satchel/contract/errors';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { UploadActions } from '../../engine/uploads/folder-uploads.ts';
import { startLanguage } from '../../lib/texts/language.ts';
import { isDone, UploadDone } from './upload-done.tsx';
import type { UploadQueue } from './use-folder-uploads.ts';

/** What a list says when all of its files have come to an end. */

beforeEach(() => startLanguage());
afterEach(cleanup);

const file = new File(['x'], 'x');
const itemOf = (at: number, changes: Partial<UploadItem>): UploadItem => ({
  ...newItem(`${at}`, { file, name: `${at}`, path: `${at}` }, true),
  ...changes,
});
const IN = { status: 'completed' } as const;
const FAILED = { status: 'error', error: new AppError('upload.chunk_failed', { status: 500 }) } as const;
const LOST = { status: 'error', error: new AppError('upload.changed_file') } as const;

function show(states: readonly Partial<UploadItem>[]) {
  const items = states.map((changes, at) => itemOf(at, changes));
  const counts = countItems({ ...EMPTY_QUEUE, items });
  const retryAll = vi.fn();
  const queue = { items, counts, busy: false, totalBytes: 1, clear: () => {} } as unknown as UploadQueue;
  const actions = { retryAll } as unknown as UploadActions;
  expect(isDone(queue)).toBe(true);
  render(
    <I18nProvider i18n={i18n}>
      <UploadDone queue={queue} actions={actions} onPickFiles={() => {}} moment={<p>the link</p>} />
    </I18nProvider>,
  );
  const primary = [...document.querySelectorAll('button.bg-accent')].map(({ textContent }) => textContent);
  return { retryAll, primary, title: screen.getByRole('heading').textContent };
}

test('some files failed: says how many are in, and to retry the others is the primary act', () => {
  const { title, primary, retryAll } = show([IN, IN, ...Array(6).fill(FAILED)]);
  expect(title).toBe('2 of 8 files are in');
  expect(primary).toEqual(['Retry 6 files']);
  fireEvent.click(screen.getByRole('button', { name: 'Retry 6 files' }));
  expect(retryAll).toHaveBeenCalledOnce();
  screen.getByText('the link');
});

test('all files failed: it is said in the same way, and there is no link to hand on', () => {
  const { title, primary } = show([FAILED, FAILED]);
  expect(title).toBe('0 of 2 files are in');
  expect(primary).toEqual(['Retry 2 files']);
  expect(screen.queryByText('the link')).toBeNull();
});

test('a file that has to be chosen again is not counted among those to retry', () => {
  expect(show([IN, FAILED, LOST]).primary).toEqual(['Retry 1 file']);
});

test('a list with a paused file has not come to its end', () => {
  const items = [itemOf(0, IN), itemOf(1, { status: 'paused' })];
  expect(isDone({ busy: false, counts: countItems({ ...EMPTY_QUEUE, items }) })).toBe(false);
});
