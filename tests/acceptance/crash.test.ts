import { encodeFrames, readStills, type StillFrame, type StillSize } from '@satchel/contract/wire/still-frames';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf } from '../support/files.ts';
import { type CreatedFolder, createPlainFolder, type Person, runTus, signIn } from '../support/people.ts';
import { type Site, startSite } from '../support/site.ts';

const STILL = '/storage/v1/still/unlocked-folders';

/** A still as large as they get, so that its blob takes a while to be written. */
const stillOf = (name: string): StillFrame => ({
  name,
  small: new Uint8Array(randomBytesOf(8 * 1024)),
  large: new Uint8Array(randomBytesOf(96 * 1024)),
});

/** What a kill leaves of an upload is faults.test.ts, and of all others' work crash-rounds. */
describe('a server that is killed', () => {
  let site: Site;
  let mika: Person;
  let folder: CreatedFolder;

  beforeAll(async () => {
    site = await startSite();
    mika = await signIn(site, 'mika');
    folder = await createPlainFolder(mika);
  });
  afterAll(() => site.stop());

  test('has each still whole or not at all, and no blob that belongs to none', async () => {
    const path = folder.bucket_storage_path;
    const names = Array.from({ length: 24 }, (_, at) => `pictured_${at}_a.bin`);
    const make = (name: string) => runTus({ url: site.url, person: mika, path: `${path}/${name}` }, randomBytesOf(50));
    expect((await Promise.all(names.map(make))).map(({ error }) => error)).toEqual(names.map(() => null));
    const stills = names.map(stillOf);
    const batches = Array.from({ length: 6 }, (_, at) => stills.slice(4 * at, 4 * at + 4));
    const put = async (batch: readonly StillFrame[], signal: AbortSignal | null = null): Promise<string[]> => {
      const headers = { authorization: `Bearer ${mika.token}`, 'content-type': 'application/octet-stream' };
      const request = { method: 'PUT', headers, body: encodeFrames(batch), signal };
      const response = await fetch(`${site.url}${STILL}/${path}`, request);
      return response.ok ? ((await response.json()) as { stored: string[] }).stored : [];
    };
    const read = async (size: StillSize): Promise<(Buffer | null)[]> => {
      const body = JSON.stringify({ prefix: path, names, size });
      const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const found: (Buffer | null)[] = [];
      const { body: answer } = await fetch(`${site.url}${STILL}`, asked);
      if (!answer) throw new Error('no answer');
      for await (const still of readStills(answer, size)) found.push(still && Buffer.from(still));
      return found;
    };
    const wanted = (size: StillSize) => stills.map((still) => Buffer.from(still[size]));

    // The first is stored before the kill; another one's browser is killed while it sends; the rest are under way.
    const acknowledged = new Set(await put(batches[0]!));
    const gone = new AbortController();
    const sending = batches.slice(1).map((batch, at) => put(batch, at === 0 ? gone.signal : null).catch(() => []));
    gone.abort();
    await Promise.race(sending.slice(1));
    await site.kill9();
    for (const stored of await Promise.all(sending)) for (const name of stored) acknowledged.add(name);
    await site.restart();
    expect(acknowledged.size).toBeGreaterThanOrEqual(4);
    for (const size of ['small', 'large'] as const) {
      const found = await read(size);
      for (const [at, bytes] of wanted(size).entries()) {
        if (found[at] || acknowledged.has(names[at]!)) expect(found[at]?.equals(bytes)).toBe(true);
      }
    }
    expect(await site.fsck()).toMatchObject({ code: 0 });

    // What its page sends again replaces or completes it; a page continues where one of several nodes has just ended.
    const putAgain = (batch: readonly StillFrame[]) => expect.poll(() => put(batch).catch(() => [])).toHaveLength(4);
    for (const batch of batches) await putAgain(batch);
    for (const size of ['small', 'large'] as const) expect(await read(size)).toEqual(wanted(size));
    expect(await site.fsck()).toMatchObject({ code: 0 });
  });

  test('a second server on the same data is refused with the reason', async () => {
    await expect(startSite({ env: { DATA_DIR: site.dataDir, DATABASE_URL: site.databaseUrl } })).rejects.toThrow(
      /already|in use|another/i,
    );
  });
});
