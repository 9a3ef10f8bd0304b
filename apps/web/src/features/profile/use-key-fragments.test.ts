import type { RememberedKey } from '@satchel/client/keys/key-store';
import type { Folder } from '@satchel/contract/entities';
import { beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '../../account/session/query-client.ts';
import { recallKey } from '../../engine/keys/key-store.ts';
import { rpc } from '../../lib/api/api.ts';
import { recallFragments } from './use-key-fragments.ts';

vi.mock('../../lib/api/api.ts');
vi.mock('../../engine/keys/key-store.ts');

const folder = { id: 'one', slug: 'slug-of-sixteen-', link_mode: 'private' } as Folder;
const secret = new Uint8Array(32).fill(7);
const known: Omit<RememberedKey, 'api_token'> = {
  slug: folder.slug,
  secret,
  ring: { keys: [new Uint8Array(64)], hidesNames: true },
  mode: 'private',
  kept: [],
  spent: [],
  pending: null,
  expires_at: '',
  is_servers: false,
};
const fragmentOf = async (one: Folder) => (await recallFragments('mika', [one])).get(one.id);

beforeEach(() => {
  queryClient.clear();
  vi.mocked(recallKey).mockResolvedValue({ ...known, api_token: 'mine' });
});
const present = (temp_key_api_token: string | null) =>
  vi.mocked(rpc).mockResolvedValue({ temp_key_api_token } as Awaited<ReturnType<typeof rpc>>);

test('the secret of the present link is returned', async () => {
  present('mine');
  expect(await fragmentOf(folder)).toMatch(/^#k=[\w-]{43}$/);
});

test('the secret of a link that another device replaced is not returned', async () => {
  present('newer');
  expect(await fragmentOf(folder)).toBe('');
});

test('no secret is returned if the server can’t be reached, or the folder has none', async () => {
  vi.mocked(rpc).mockRejectedValue(new Error('offline'));
  expect(await fragmentOf(folder)).toBe('');
  present('mine');
  expect(await fragmentOf({ ...folder, link_mode: 'discord' })).toBe('');
});
