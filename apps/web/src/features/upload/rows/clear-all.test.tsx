// @vitest-environment happy-dom

import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { newItem, type UploadItem } from '@satchel/client/send/list/queue';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '../../../lib/texts/language.ts';
import { ClearAll } from './clear-all.tsx';

/** What "Clear All" asks before uploads of large files end with it. */

const MIB = 1024 ** 2;
const onClear = vi.fn();
const click = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

beforeEach(() => startLanguage());
afterEach(() => {
  cleanup();
  vi.clearAllMocks();
});

function show(...items: readonly Partial<UploadItem>[]): void {
  const chosen = { file: new File(['x'], 'film.bin'), name: 'film.bin', path: 'film.bin' };
  const all = items.map((changes, at) => ({ ...newItem(`${at}`, chosen, true), sizeBytes: 9 * MIB, ...changes }));
  render(
    <I18nProvider i18n={i18n}>
      <ClearAll items={all} size="lg" onClear={onClear} />
    </I18nProvider>,
  );
}

test('asks where bytes of large files are on the server that paused or failed', async () => {
  const there = { bytesUploaded: 4 * MIB };
  show({ status: 'paused', ...there }, { status: 'error', ...there }, { status: 'completed', ...there }, {});
  click('Clear All');
  screen.getByRole('alertdialog', { name: 'Cancel 2 uploads?' });
  click('Keep');
  expect(onClear).not.toHaveBeenCalled();
  click('Clear All');
  click('Yes, Cancel');
  await vi.waitFor(() => expect(onClear).toHaveBeenCalledOnce(), WAIT_MS);
});

test('clears at once what loses nothing', () => {
  show({ status: 'completed', bytesUploaded: 9 * MIB }, { status: 'paused', sizeBytes: MIB, bytesUploaded: 4 }, {});
  click('Clear All');
  expect(onClear).toHaveBeenCalledOnce();
});
