import type { CreateFolderOutput } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { inviteToFolder } from '../../../src/domain/sharing/invitations.ts';
import { folder_grants, folder_guests, folder_shares } from '../../../src/platform/schema/links.ts';
import { newKey, newPrivate } from '../folders.ts';
import { createTus, freshName, someBytes, upload } from '../storage-kit.ts';
import { type Account, createTestApp, type TestApp } from '../test-app.ts';
import { type BotAnswer, click, command, type Place, recordRest } from './discord-kit.ts';
import { redeem } from './guests.ts';

/** Shared by the tests of /share. */

export const PRIVATE = 64;
export const LANTERN: Place = { guild_id: '810000000000000001' };
export const LIBRARY: Place = { guild_id: '810000000000000002' };
export const CHAT: Place = { isPrivateChat: true };

export interface Shareable {
  readonly folder: Folder;
  readonly object: string;
  readonly keyPath: string;
  /** The secrets of its key that the server received. */
  readonly secrets: readonly string[];
}

/** The statuses by which a folder answers people whom it does not let in, and people whom it does. */
export const SHUT = { data: 404, list: 404, object: 404, sign: 404, key: 404 };
export const OPEN = { data: 200, list: 200, object: 200, sign: 200, key: 200 };

// biome-ignore lint/suspicious/noExplicitAny: Discord's JSON
export const buttonsOf = (message: any): any[] => (message?.components ?? []).flatMap((row: any) => row.components);
export const openIdOf = ({ body }: BotAnswer): string =>
  buttonsOf(body.data).find(({ custom_id }) => custom_id?.startsWith('share:open:')).custom_id;
export const linkOf = ({ body }: Pick<BotAnswer, 'body'>): string | undefined =>
  buttonsOf(body.data).find(({ url }) => url)?.url;
export const grantOf = (answer: BotAnswer): string | undefined => /#grant=([\w-]{43})$/.exec(linkOf(answer) ?? '')?.[1];

const keyOf = (mode: 'plain' | 'private' | 'discord') => {
  if (mode === 'plain') return {};
  if (mode === 'discord') return { encryption_key: newKey() };
  return newPrivate();
};

export function createShareKit(app: TestApp, owner: Account, said: ReturnType<typeof recordRest>) {
  const { db } = app.database;

  /** A folder with a file in it. */
  async function makeShareable(
    mode: 'plain' | 'private' | 'discord',
    input: { folder_name?: string; expires_in_hours?: number } = {},
  ): Promise<Shareable> {
    const key = keyOf(mode);
    const { status, body } = await app.rpc<CreateFolderOutput>(
      'create_folder_with_temp_key',
      { ...key, ...input },
      owner,
    );
    expect(status).toBe(201);
    const { folder, temp_key_info } = body;
    const file = `${freshName()}${mode === 'plain' ? '' : '.enc'}`;
    await upload(createTus(app, owner), folder, file, someBytes(1000));
    return {
      folder,
      object: `unlocked-folders/${folder.bucket_storage_path}/${file}`,
      keyPath: `/bot/${folder.slug}/${temp_key_info?.api_token ?? 'none'}`,
      secrets: [...Object.values(key), ...(temp_key_info ? [temp_key_info.api_token] : [])],
    };
  }

  /** Statuses of folder data, list, object, signed URL and key, for a browser with this cookie and the short link. */
  async function waysIn({ folder, object, keyPath }: Shareable, cookie = ''): Promise<Record<string, number>> {
    const ask = async (path: string, body?: object) => {
      const headers = { origin: app.config.publicUrl, 'content-type': 'application/json', ...(cookie && { cookie }) };
      const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers: { cookie } };
      return (await fetch(app.baseUrl + path, init)).status;
    };
    return {
      data: await ask('/rest/v1/rpc/get_folder_complete_data', { input_folder_slug: folder.slug }),
      list: await ask('/storage/v1/object/list/unlocked-folders', { prefix: folder.bucket_storage_path }),
      object: await ask(`/storage/v1/object/public/${object}`),
      sign: await ask(`/storage/v1/object/sign/${object}`, {}),
      key: await ask(keyPath),
    };
  }

  /** The receipt that follows an answer. */
  async function receiptAfter({ token }: BotAnswer) {
    for (;;) {
      const found = said.all.find((call) => call.token === token);
      if (found) return found.message;
      await said.until(said.all.length + 1);
    }
  }

  const share = (folder: Folder, options: Record<string, string | boolean> = {}, place = LANTERN) =>
    command(app, 'mika', 'share', { folder: folder.id, ...options }, place);

  /** Clicks Open and follows the link; returns the browser's cookie. */
  async function comeIn(as: string, openId: string, place = LANTERN): Promise<string> {
    const response = await redeem(app, grantOf(await click(app, as, openId, place)) ?? 'none');
    expect(response.status, await response.text()).toBe(200);
    return response.headers.getSetCookie()[0]!.split(';')[0]!;
  }

  /** Clicks Open and expects a private refusal without a link; the card stays for others. */
  async function expectRefused(as: string, openId: string, place: Place, words: RegExp): Promise<void> {
    const answer = await click(app, as, openId, place);
    expect(answer.body.data).toMatchObject({ flags: PRIVATE, content: expect.stringMatching(words) });
    expect(buttonsOf(answer.body.data)).toEqual([]);
  }

  /** Clicks on a card that ended: the card itself says so from now on, and has no button. */
  async function expectEnded(as: string, customId: string, place: Place, words: RegExp): Promise<void> {
    const { body } = await click(app, as, customId, place);
    expect(body.type).toBe(7);
    expect(body.data).toMatchObject({ content: '', embeds: [{ description: expect.stringMatching(words) }] });
    expect(buttonsOf(body.data)).toEqual([]);
  }

  /** Open of a card that was posted while the server had the key. */
  async function openOf({ id }: Folder): Promise<string> {
    const { invitation } = await inviteToFolder(db, owner, id, { discord_id: null, guild_id: null });
    return `share:open:${invitation?.id}:${id}`;
  }

  /** A card's own button, which only a restricted folder's has: its Open is no link. */
  async function shareRestricted(folder: Folder): Promise<string> {
    const input = { folder_id: folder.id, new_access: 'restricted' };
    expect((await app.rpc('update_folder_settings', input, owner)).status).toBe(200);
    return openIdOf(await share(folder));
  }

  return {
    expectEnded,
    shareRestricted,
    openOf,
    makeShareable,
    waysIn,
    receiptAfter,
    share,
    comeIn,
    expectRefused,
    sharesOf: ({ id }: Folder) => db.select().from(folder_shares).where(eq(folder_shares.folder_id, id)),
    grantsOf: ({ id }: Folder) => db.select().from(folder_grants).where(eq(folder_grants.folder_id, id)),
    guestsOf: ({ id }: Folder) => db.select().from(folder_guests).where(eq(folder_guests.folder_id, id)),
  };
}
export type ShareKit = ReturnType<typeof createShareKit>;

/** An app whose calls to Discord are recorded, with an owner, Mika, and the kit. */
export async function startShareKit(env: Record<string, string> = {}) {
  const said = recordRest();
  const tellTimes = { gatherMs: 20, againMs: 20, lookMs: 600_000 };
  const app = await createTestApp({ env, deps: { discordRest: said.rest, tellTimes } });
  const owner = await app.signIn('mika');
  return { app, owner, said, kit: createShareKit(app, owner, said) };
}
