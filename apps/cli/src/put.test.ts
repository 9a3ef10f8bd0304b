import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMALL_AT_ONCE } from '@satchel/client/send/list/turns';
import { until } from '@satchel/contract/testing/pace';
import { afterAll, expect, test } from 'vitest';
import { sendAll } from './put.ts';
import type { Site } from './site.ts';

const folder = await mkdtemp(join(tmpdir(), 'satchel-put-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('as many small files are under way at once as in the page', async () => {
  const answers: (() => void)[] = [];
  const header = (name: string) => ({ Location: '/upload', 'Upload-Offset': '1' })[name] ?? null;
  const site = {
    folder,
    hold: async () => () => undefined,
    keys: { recallFolder: async () => ({ isPinned: false }) },
    bearer: { get: async () => 'bearer', refuse: () => undefined },
    network: {
      origin: 'http://site.example',
      openSocket: null,
      isThere: async () => true,
      request() {
        const { promise, resolve } = Promise.withResolvers();
        answers.push(() => resolve({ status: 201, statusText: '', body: '', header }));
        return promise;
      },
    },
  } as unknown as Site;
  const target = {
    folder: {
      id: 'id',
      slug: 'slug',
      bucket: 'bucket',
      bucket_storage_path: 'path',
      hide_names: false,
      link_mode: 'plain',
      expires_at: new Date(0).toISOString(),
    },
    keys: null,
    linkToken: null,
  } as const;
  const files = Array.from({ length: 3 * SMALL_AT_ONCE }, (_, at) => ({
    file: new File(['x'], `${at}.bin`),
    name: `${at}.bin`,
    path: `${at}.bin`,
  }));

  const sending = sendAll({ site, target, userId: 'user', strips: true }, files);
  for (let sent = 0; sent < files.length; sent += SMALL_AT_ONCE) {
    await until(
      async () => answers.length >= SMALL_AT_ONCE,
      () => `${answers.length} requests are under way`,
    );
    expect(answers).toHaveLength(SMALL_AT_ONCE);
    for (const answer of answers.splice(0)) answer();
  }
  expect(await sending).toEqual([]);
});
