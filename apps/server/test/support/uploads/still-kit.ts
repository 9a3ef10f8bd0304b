import type { Folder } from '@satchel/contract/entities';
import { encodeFrames, readStills, type StillFrame, type StillSize } from '@satchel/contract/wire/still-frames';
import { eq, sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { files } from '../../../src/platform/schema/files.ts';
import { BYTES_TYPE, createTus, freshName, someBytes } from '../storage-kit.ts';
import type { Account, TestApp } from '../test-app.ts';

/** Stills of files: storing and reading them as a page does. */

export const STILL = '/storage/v1/still';
export const FRAMES_TYPE = 'application/octet-stream';

/** A still of random bytes. */
export const stillOf = (name: string, small = 700, large = 5000): StillFrame => ({
  name,
  small: new Uint8Array(someBytes(small)),
  large: new Uint8Array(someBytes(large)),
});

const bearerOf = (as: Account | null): Record<string, string> => (as ? { authorization: `Bearer ${as.bearer}` } : {});

export const putBody = (app: TestApp, as: Account | null, folder: Folder, body: Uint8Array<ArrayBuffer>) =>
  fetch(`${app.baseUrl}${STILL}/unlocked-folders/${folder.bucket_storage_path}`, {
    method: 'PUT',
    headers: { 'content-type': FRAMES_TYPE, ...bearerOf(as) },
    body,
  });
export const putStills = (app: TestApp, as: Account | null, folder: Folder, ...stills: StillFrame[]) =>
  putBody(app, as, folder, encodeFrames(stills));

/** Stores stills. @returns the names that were stored */
export async function storeStills(app: TestApp, as: Account, folder: Folder, ...stills: StillFrame[]) {
  const response = await putStills(app, as, folder, ...stills);
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return (answer as { stored: string[] }).stored;
}

export const askStills = (
  app: TestApp,
  as: Account | null,
  {
    folder,
    names,
    size,
    headers,
  }: { folder: Folder; names: string[]; size: StillSize; headers?: Record<string, string> },
) =>
  fetch(`${app.baseUrl}${STILL}/unlocked-folders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearerOf(as), ...headers },
    body: JSON.stringify({ prefix: folder.bucket_storage_path, names, size }),
  });

/** Reads stills of one size, null where there is none. */
export async function stillsOf(app: TestApp, folder: Folder, names: string[], size: StillSize) {
  const response = await askStills(app, null, { folder, names, size });
  expect(response.status).toBe(200);
  const stills: (Uint8Array | null)[] = [];
  for await (const still of readStills(response.body!, size)) stills.push(still);
  return stills;
}

/** Uploads files of a few bytes. @returns their names */
export async function makeFiles(app: TestApp, as: Account, folder: Folder, count: number): Promise<string[]> {
  const tus = createTus(app, as);
  const names = Array.from({ length: count }, () =>
    freshName().replace(/bin$/, folder.link_mode === 'plain' ? 'bin' : 'enc'),
  );
  const made = names.map((name) =>
    tus.post({ folder, name, length: 50, body: someBytes(50), headers: { 'content-type': BYTES_TYPE } }),
  );
  expect((await Promise.all(made)).map(({ status }) => status)).toEqual(names.map(() => 201));
  return names;
}

export async function fileRow(app: TestApp, name: string) {
  const [row] = await app.database.db.select().from(files).where(eq(files.name, name));
  return row!;
}

/** Blobs that wait to be purged. */
export const queuedBlobs = async (app: TestApp): Promise<unknown[]> => {
  const { rows } = (await app.database.db.execute(sql`select * from blob_removals`)) as unknown as { rows: unknown[] };
  return rows;
};
