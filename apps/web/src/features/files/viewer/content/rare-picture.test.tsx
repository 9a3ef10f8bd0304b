// @vitest-environment happy-dom

import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { contentKind } from '../../../../engine/files/content-kind.ts';
import type { FileItem } from '../../../../engine/files/file-model.ts';
import { openingWay } from '../../../../engine/files/opening-way.ts';
import { startLanguage } from '../../../../lib/texts/language.ts';
import { RarePicture } from './rare-picture.tsx';

/** A HEIC or AVIF picture in a browser that decodes it, and in one that does not. */

const NAME = 'IMG_0001.heic';
const file = {
  name: NAME,
  type: 'image/heic',
  sizeBytes: 2_100_000,
  still: null,
  phase: 'none',
  percent: 0,
} as FileItem;
const opened = { name: NAME, type: 'image/heic', blob: null, objectUrl: 'blob:photo', sizeBytes: 2_100_000 };
const acts = { onOpen: vi.fn(), onDraw: vi.fn(), onFailed: vi.fn(), onSize: vi.fn(), read: vi.fn() };

/** @param source which of the two sources of decodesPicture this browser chooses */
const browserChooses = (source: string) =>
  vi.spyOn(HTMLImageElement.prototype, 'currentSrc', 'get').mockReturnValue(source);

const content = (changes: object = {}) => (
  <I18nProvider i18n={i18n}>
    <RarePicture file={file} opened={null} {...acts} {...changes} />
  </I18nProvider>
);

beforeEach(() => startLanguage());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.clearAllMocks();
});

test('in a browser that decodes HEIC, the picture is requested once and shown', async () => {
  browserChooses('data:,image/heic');
  const { rerender } = render(content());
  await vi.waitFor(() => expect(acts.onOpen).toHaveBeenCalled(), WAIT_MS);
  rerender(content({ file: { ...file, phase: 'downloading', percent: 7 } }));
  rerender(content({ opened }));
  const picture = screen.getByRole<HTMLImageElement>('img', { name: NAME });
  expect([picture.src, acts.onOpen.mock.calls.length]).toEqual(['blob:photo', 1]);
  fireEvent.load(picture);
  expect(acts.onSize).toHaveBeenCalled();
  fireEvent.error(picture);
  expect(acts.onFailed).toHaveBeenCalledOnce();
});

test('in another browser, the viewer says that it can’t be shown, and requests nothing', async () => {
  browserChooses('data:,');
  render(content());
  await screen.findByText(/^This browser can’t show HEIC pictures, so the file was not loaded\./);
  await screen.findByText(/Download it \(2\.00 MB\)/);
  expect(acts.onOpen).not.toHaveBeenCalled();
});

test('an AVIF picture is a picture until the browser says, asked once, that it shows none', async () => {
  const { askForAvif } = await import('../../../../engine/files/content/decodes-picture.ts');
  const avif = { ...file, name: 'boat.avif', type: 'image/avif' };
  const wayAndKind = () => [openingWay(avif.name, avif.type), contentKind(avif.name, avif.type)];
  expect(wayAndKind()).toEqual(['whole', 'image']);
  const chooses = browserChooses('data:,');
  await Promise.all([askForAvif(), askForAvif()]);
  expect(chooses).toHaveBeenCalledOnce();
  expect(wayAndKind()).toEqual(['itself', 'rare_picture']);
  render(content({ file: avif }));
  await screen.findByText(/^This browser can’t show AVIF pictures, so the file was not loaded\./);
  expect(acts.onOpen).not.toHaveBeenCalled();
});
