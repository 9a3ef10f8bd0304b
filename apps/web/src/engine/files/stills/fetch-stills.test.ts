import { importKeys, newFolderKey } from '@satchel/container/key';
import { sealStill } from '@satchel/container/still';
import { AppError } from '@satchel/contract/errors';
import { encodeLength } from '@satchel/contract/wire/still-frames';
import { afterEach, expect, test, vi } from 'vitest';
import { fetchStills, stillPicture } from './fetch-stills.ts';
import type { StillRef } from './still-ref.ts';

const place = { bucket: 'unlocked-folders', storagePath: 'p' };
const HEADER = 'h'.repeat(43);
const text = (value: string) => [...value].map((one) => one.charCodeAt(0));
const webp = (widthPx: number, heightPx: number) =>
  Uint8Array.from([
    ...[...text('RIFF'), 0, 0, 0, 0, ...text('WEBPVP8X'), 0, 0, 0, 0, 0, 0, 0, 0],
    ...[(widthPx - 1) & 255, (widthPx - 1) >> 8, 0, (heightPx - 1) & 255, (heightPx - 1) >> 8, 0],
  ]);

afterEach(() => vi.unstubAllGlobals());

function answerWith(...stills: readonly Uint8Array<ArrayBuffer>[]): void {
  const parts = stills.flatMap((still) => [encodeLength(still.length), still]);
  vi.stubGlobal('fetch', async () => new Response(new Blob(parts)));
}

async function stillsOf(refs: readonly StillRef[]): Promise<(Blob | null)[]> {
  const got: (Blob | null)[] = [];
  await fetchStills({ place, size: 'large', refs }, (_ref, still) => got.push(still));
  return got;
}

test('stills that open for their file are pictures, and all others none', async () => {
  const keys = await importKeys(newFolderKey());
  const ref = (name: string): StillRef => ({ key: name, place, name, seal: { keys, header: HEADER } });
  const sealed = (storedName: string) =>
    sealStill(keys, { size: 'large', bytes: webp(480, 300) }, { storedName, header: HEADER });
  const [a, b] = [await sealed('a.enc'), await sealed('b.enc')];
  answerWith(a, a, new Uint8Array(0), webp(480, 300), b);
  const got = await stillsOf(['a.enc', 'b.enc', 'c.enc', 'd.enc', 'b.enc'].map(ref));
  expect(got.map((still) => still?.type ?? null)).toEqual(['image/webp', null, null, null, 'image/webp']);
});

test('an answer that ends early is an error', async () => {
  answerWith(webp(480, 300));
  const refs = ['a', 'b'].map((name): StillRef => ({ key: name, place, name, seal: null }));
  await expect(stillsOf(refs)).rejects.toThrow('missing');
});

test('a refusal is the server’s error', async () => {
  vi.stubGlobal('fetch', async () => Response.json(new AppError('folder.not_found').toWire(), { status: 404 }));
  await expect(stillsOf([])).rejects.toMatchObject({ code: 'folder.not_found' });
});

test('only a WebP or a JPEG of a still’s size may be shown', () => {
  expect(stillPicture(webp(96, 60), 'small')?.type).toBe('image/webp');
  expect(stillPicture(webp(97, 60), 'small')).toBeNull();
  expect(stillPicture(webp(481, 60), 'large')).toBeNull();
  expect(stillPicture(Uint8Array.from(text('<svg xmlns="http://www.w3.org/2000/svg"/>')), 'large')).toBeNull();
  expect(stillPicture(Uint8Array.from([...text('GIF89a'), 9, 0, 9, 0]), 'large')).toBeNull();
  expect(stillPicture(new Uint8Array(0), 'large')).toBeNull();
});
