import type { FolderCompleteData } from '@satchel/contract/api';
import { BUCKET } from '@satchel/contract/limits';
import { expect } from 'vitest';
import { createTus, freshName, makeFolder, someBytes } from '../storage-kit.ts';
import type { Account, TestApp } from '../test-app.ts';
import type { Cell } from './matrix-rows.ts';

/**
 * Creates a private folder with one file and one open upload, as the route matrix calls them for their owner.
 * @param isReplaced the file is sent a second time and replaces the first
 */
export async function makeOwnersCell(app: TestApp, owner: Account, isReplaced = false): Promise<Cell> {
  const folder = await makeFolder(app, owner, 'private');
  const tus = createTus(app, owner);
  const name = `${freshName()}.enc`;
  const length = 10;
  for (const headers of isReplaced ? [{}, { 'x-upsert': 'true' }] : [{}]) {
    const url = await tus.create({ folder, name, length, headers });
    expect((await tus.patch(url, 0, someBytes(length))).status).toBe(204);
  }
  const open = await tus.create({ folder, name: `${freshName()}.enc`, length });
  const data = await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: folder.slug });
  const object = `${folder.bucket_storage_path}/${name}`;
  const token = app.deps.tokens.signObject({ path: `${BUCKET}/${object}`, expiresAtMs: Date.now() + 600_000 });
  return {
    column: 'owner',
    owner,
    folder,
    object,
    upload: new URL(open).pathname,
    apiToken: data.body.temp_key_api_token ?? '',
    signed: `/storage/v1/object/sign/${BUCKET}/${object}?token=${token}`,
  };
}
