import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FolderCompleteData } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { createFolderLoader, isReadDirectly } from './load-folder.ts';

const SLUG = 'abcdefghijklmnop';
const folder = {
  id: '0b0e2b5e-0000-4000-8000-000000000002',
  slug: SLUG,
  name: 'Saturday raid',
  description: null,
  created_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-02T00:00:00Z',
  bucket: 'unlocked-folders',
  bucket_storage_path: 'path',
  size_bytes: 10,
  file_count: 1,
  owner_profile_id: '0b0e2b5e-0000-4000-8000-000000000001',
  link_mode: 'private',
  access: 'link',
  hide_names: true,
  show_name_in_previews: false,
};

type Answer = readonly [status: number, body: unknown];
let answers: { rpc: Answer; direct: Answer };
let asked: string[];
/** How many answers of the procedure are still to be lost. */
let lost: number;
let server: Server;
let origin: string;

beforeEach(async () => {
  asked = [];
  lost = 0;
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === 'POST' && lost > 0) {
      lost -= 1;
      response.destroy();
      return;
    }
    const [status, body] = request.method === 'POST' ? answers.rpc : answers.direct;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

const load = (known?: FolderCompleteData) =>
  createFolderLoader({
    ...createApi({ fetch: async (path, init) => ({ response: await fetch(origin + path, init) }) }),
    nowMs: () => Date.parse('2026-01-01T12:00:00Z'),
  })(SLUG, undefined, known);

const refusal = (error: AppError): Answer => [error.status, error.toWire()];

test('an expired folder is what the procedure says of it', async () => {
  const body = { folder_slug: SLUG, folder_expires_at: folder.expires_at };
  answers = { rpc: [200, body], direct: [500, null] };
  expect(await load()).toEqual(body);
  expect(asked).toEqual(['POST /rest/v1/rpc/get_folder_complete_data']);
});

test('a failing procedure leads to the folder itself, with its owner unknown and no key to ask for', async () => {
  answers = { rpc: [500, { nothing: 'known' }], direct: [200, folder] };
  expect(await load()).toMatchObject({
    folder_id: folder.id,
    folder_name: 'Saturday raid',
    folder_link_mode: 'private',
    owner_discord_global_name: null,
    temp_key_api_token: null,
    server_time: '2026-01-01T12:00:00.000Z',
  });
  expect(asked).toEqual(['POST /rest/v1/rpc/get_folder_complete_data', `GET /rest/v1/folders/${SLUG}`]);
});

/** The folder as the page knows it. */
const known = (over: Partial<FolderCompleteData> = {}) =>
  ({
    folder_id: folder.id,
    folder_slug: SLUG,
    folder_bucket: folder.bucket,
    folder_bucket_storage_path: folder.bucket_storage_path,
    ...over,
  }) as FolderCompleteData;

test.each([
  { folder_id: '7d0c0000-0000-4000-8000-000000000999' },
  { folder_bucket_storage_path: 'elsewhere' },
  { folder_bucket: 'elsewhere' },
  { folder_slug: 'another-slug-0123' },
])('an answer that speaks of another folder under an open page is refused: %j', async (other) => {
  answers = { rpc: [200, known(other)], direct: [200, folder] };
  await expect(load(known())).rejects.toMatchObject({ code: 'folder.changed' });
  answers = { rpc: [200, known()], direct: [200, folder] };
  expect(await load(known())).toEqual(known());
});

test('an answer about another slug than the address has is refused', async () => {
  answers = { rpc: [200, known({ folder_slug: 'another-slug-0123' })], direct: [200, folder] };
  await expect(load()).rejects.toMatchObject({ code: 'folder.changed' });
});

test('a failed refresh keeps the data that only the procedure tells', async () => {
  answers = { rpc: [429, null], direct: [200, folder] };
  await expect(load(known())).rejects.toMatchObject({ code: 'folder.load_failed' });
  expect(asked).toHaveLength(1);
});

test('after a lost answer the procedure is called again, and after a second one the folder is read without it', async () => {
  answers = { rpc: [200, known()], direct: [200, folder] };
  lost = 1;
  expect(isReadDirectly((await load()) as FolderCompleteData)).toBe(false);
  expect(asked).toHaveLength(2);
  lost = 2;
  expect(isReadDirectly((await load()) as FolderCompleteData)).toBe(true);
});

test('a folder that is not there is asked for once', async () => {
  answers = { rpc: refusal(new AppError('folder.not_found')), direct: [200, folder] };
  await expect(load()).rejects.toMatchObject({ code: 'folder.not_found' });
  expect(asked).toHaveLength(1);
});

test('a folder that was taken down is asked for once', async () => {
  answers = { rpc: refusal(new AppError('folder.taken_down', { reason: 'Malware' })), direct: [200, folder] };
  await expect(load()).rejects.toMatchObject({ code: 'folder.taken_down', params: { reason: 'Malware' } });
  expect(asked).toHaveLength(1);
});

test('a folder that is missing after a failed procedure, too, is not found', async () => {
  answers = { rpc: [500, null], direct: refusal(new AppError('folder.not_found')) };
  await expect(load()).rejects.toMatchObject({ code: 'folder.not_found' });
});

test('when both ways fail, the first reason is shown', async () => {
  answers = { rpc: [503, null], direct: [502, null] };
  await expect(load()).rejects.toMatchObject({
    code: 'folder.load_failed',
    message: 'Failed to load folder: 503 Service Unavailable',
  });
});
