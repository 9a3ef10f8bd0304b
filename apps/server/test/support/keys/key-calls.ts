import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import type { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { rowsOf } from '../../../src/platform/database/db.ts';
import type { KeyServiceSite } from './key-service-site.ts';

/**
 * Calls of the folder's owner, for tests of a key service.
 * @param here the site
 */
export function createKeyCalls(here: KeyServiceSite) {
  const create = async (link: object) => {
    const { status, body } = await here.node.rpc<CreateFolderOutput>('create_folder_with_temp_key', link, here.owner);
    expect(status).toBe(201);
    return { folder: body.folder, path: `/bot/${body.folder.slug}/${body.temp_key_info!.api_token}` };
  };
  /** The answers of the node and of the key service itself. */
  const ask = async (path: string, cookie = '') => {
    const askAt = async (url: string) => {
      const response = await fetch(url + path, { headers: { cookie } });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    const [byNode, byService] = [await askAt(here.node.baseUrl), await askAt(here.url)];
    expect(byNode).toEqual(byService);
    return byNode;
  };
  const prove = async (path: string, proof: string) => {
    const response = await here.node.call('POST', path, { body: { proof } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
  };
  const act = (name: string, folder: Folder, input: object = {}) =>
    here.node.rpc<{ error: { code: string } }>(name, { folder_id: folder.id, ...input }, here.owner);
  const sharesOf = async ({ id }: Folder) =>
    (await here.deps.keyShares.list()).filter(({ folder_id }) => folder_id === id);
  const run = async (statement: ReturnType<typeof sql>) => rowsOf(await here.deps.database.db.execute(statement));
  return { create, ask, prove, act, sharesOf, run };
}
