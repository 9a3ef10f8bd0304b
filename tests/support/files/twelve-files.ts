import type { Page } from 'playwright-core';
import { worldFiles } from '../browser/world.ts';
import { makePhoto } from './pictures.ts';
import { noisePng } from './samples.ts';
import { taggedAvif } from './tagged-pictures.ts';

/** Twelve files, no two of one type. */
export async function twelveFiles(page: Page): Promise<ReadonlyMap<string, Buffer>> {
  const world = await worldFiles();
  const ofType = (type: string) => world.filter(({ mimeType }) => mimeType === type).slice(0, 1);
  const types = ['image/webp', 'video/webm', 'audio/wav', 'application/pdf', 'text/plain', 'application/octet-stream'];
  return new Map([
    ...types.flatMap(ofType).map(({ name, buffer }) => [name, buffer] as const),
    ['beach.jpg', await makePhoto(page, { widthPx: 320, heightPx: 240 })],
    ['grain.png', noisePng(64, 64)],
    ['lake.avif', taggedAvif()],
    ['costs.csv', Buffer.from('what,euro\nferry,120\nhut,80\n')],
    ['plan.md', Buffer.from('# Plan\n\n1. Ferry\n2. Hut\n')],
    ['route.ts', Buffer.from('export const stops = 2;\n')],
  ]);
}
