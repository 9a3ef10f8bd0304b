// @vitest-environment happy-dom

import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { SMALL_FILE_BYTES } from '@satchel/client/send/order';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handleOf } from '../../../engine/uploads/log/dropped-handles.ts';
import { startLanguage } from '../../../lib/texts/language.ts';
import { useFilePickers } from './file-pickers.tsx';

/** What "Choose a folder" does where the browser gives handles of directories, and elsewhere. */

const onFiles = vi.fn();
const inputOpened = vi.fn();

function Pickers() {
  const { inputs, pickFolder } = useFilePickers({ onFiles });
  return (
    <>
      {inputs}
      <button type="button" onClick={pickFolder}>
        Pick
      </button>
    </>
  );
}

const film = new File([new Uint8Array(SMALL_FILE_BYTES + 1)], 'film.mkv');
const filmHandle = { kind: 'file', name: 'film.mkv', getFile: async () => film };
const directory = (name: string, ...inner: unknown[]) => ({
  kind: 'directory',
  name,
  async *values() {
    yield* inner;
  },
});

function pick(picker: (() => Promise<unknown>) | null, isCoarse = false): void {
  if (picker) vi.stubGlobal('showDirectoryPicker', picker);
  vi.stubGlobal('matchMedia', () => ({ matches: isCoarse }));
  render(
    <I18nProvider i18n={i18n}>
      <Pickers />
    </I18nProvider>,
  );
  screen.getByLabelText('Choose a folder').addEventListener('click', inputOpened);
  fireEvent.click(screen.getByRole('button', { name: 'Pick' }));
}

const failure = (name: string) => () => Promise.reject(new DOMException('', name));
const settled = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => startLanguage());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

test('a folder that is chosen comes with the handles of its large files', async () => {
  pick(async () => directory('Holiday', directory('day 1', filmHandle)));
  await vi.waitFor(() => expect(onFiles).toHaveBeenCalledOnce(), WAIT_MS);
  const [{ files }] = onFiles.mock.calls[0] as [{ files: { path: string; file: File }[] }];
  expect(files.map(({ path, file }) => [path, handleOf(file)])).toEqual([['Holiday/day 1/film.mkv', filmHandle]]);
  expect(inputOpened).not.toHaveBeenCalled();
});

test('a choice that is cancelled, and an empty folder, add nothing and open no other dialog', async () => {
  for (const picker of [failure('AbortError'), async () => directory('Empty')]) {
    pick(picker);
    await settled();
    expect([onFiles.mock.calls, inputOpened.mock.calls]).toEqual([[], []]);
    cleanup();
  }
});

test.each([
  ['refuses', failure('SecurityError'), false],
  ['has none', null, false],
  ['is a telephone’s', async () => directory('Holiday', filmHandle), true],
])('the file input opens where the browser %s', async (_, picker, isCoarse) => {
  pick(picker, isCoarse);
  await vi.waitFor(() => expect(inputOpened).toHaveBeenCalledOnce(), WAIT_MS);
  expect(onFiles).not.toHaveBeenCalled();
});
