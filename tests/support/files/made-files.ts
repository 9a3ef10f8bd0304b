import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** Generated files: to choose in a form, or to fake in a list. */

const MEDIA = join(import.meta.dirname, '../../../apps/web/public/media');

export const bytesFile = (sizeBytes: number, name: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.alloc(sizeBytes, name),
});

export const pictureFile = async (name: 'planet.webp') => ({
  name,
  mimeType: 'image/webp',
  buffer: await readFile(join(MEDIA, name)),
});

export const longListing = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    name: `file-${String(at + 1).padStart(4, '0')}.txt`,
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T12:00:00.000Z',
    metadata: { size: 1000 + at, mimetype: 'text/plain', eTag: `"${at}"` },
  }));

/** Makes every folder that the page opens list these files instead of the server's. */
export const listInstead = (page: Page, entries: ReturnType<typeof longListing>): Promise<unknown> =>
  page.route('**/storage/v1/object/list/**', (route) => {
    const { offset, limit } = route.request().postDataJSON() as { offset: number; limit: number };
    return route.fulfill({ json: entries.slice(offset, offset + limit) });
  });

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** The limit for text through the debugger; more takes seconds of CPU time, and 50 MB are refused. */
const HANDED_OVER_MAX_BYTES = 4 * 1024 ** 2;

/** Chooses files in a form; large ones are written to disk and deleted after `use`. */
export async function withChosen(
  chooser: Locator,
  files: readonly ChosenFile[],
  use: () => Promise<void>,
): Promise<void> {
  const sizeBytes = files.reduce((sum, { buffer }) => sum + buffer.length, 0);
  if (sizeBytes <= HANDED_OVER_MAX_BYTES) {
    await chooser.setInputFiles([...files]);
    return use();
  }
  const dir = await mkdtemp(join(tmpdir(), 'satchel-chosen-'));
  try {
    for (const { name, buffer } of files) await writeFile(join(dir, name), buffer);
    await chooser.setInputFiles(files.map(({ name }) => join(dir, name)));
    await use();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
