import type { Folder } from '@satchel/contract/entities';
import { expect } from 'vitest';
import { lockFolder } from '../../../src/domain/access/find-folder.ts';
import { addGrant } from '../../../src/domain/sharing/grants.ts';
import { type Db, inTransaction } from '../../../src/platform/database/db.ts';
import type { Account, TestApp } from '../test-app.ts';

/** Restricted folders and their guests. */

export async function setAccess(app: TestApp, owner: Account, folder: Folder, access: Folder['access']): Promise<void> {
  const input = { folder_id: folder.id, new_access: access };
  expect((await app.rpc('update_folder_settings', input, owner)).status).toBe(200);
}

/** As a click on a card makes one: under the lock of a folder that is there. */
export const createGrant = (db: Db, folderId: string): Promise<string> =>
  inTransaction(db, async (tx) => {
    await lockFolder(tx, folderId);
    return addGrant(tx, folderId);
  });

/** Redeems a grant as the page does, in a browser with these cookies. */
export const redeem = (app: TestApp, grant: string, cookie = ''): Promise<Response> =>
  fetch(`${app.baseUrl}/discord/grants/redeem`, {
    method: 'POST',
    headers: { origin: app.config.publicUrl, 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: JSON.stringify({ grant }),
  });

/** Lets a browser in, with its cookies; returns the guest cookie that it has afterwards. */
export async function letIn(app: TestApp, folder: Folder, cookie = ''): Promise<string> {
  const response = await redeem(app, await createGrant(app.database.db, folder.id), cookie);
  expect(response.status, await response.text()).toBe(200);
  return response.headers.getSetCookie()[0]!.split(';')[0]!;
}

/** Restricts a folder, and lets in the browser with this cookie, if any. */
export async function restrict(app: TestApp, owner: Account, folder: Folder, guestCookie?: string): Promise<void> {
  await setAccess(app, owner, folder, 'restricted');
  if (guestCookie) await letIn(app, folder, guestCookie);
}
