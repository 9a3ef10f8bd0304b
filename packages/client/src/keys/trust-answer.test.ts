import type { FolderCompleteData } from '@satchel/contract/api';
import { beforeEach, describe, expect, test } from 'vitest';
import { NAME, REMEMBERED } from '../testing/remembered-key.ts';
import { type TrustQuestion, trustOf } from './folder-trust.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { answerTrust, pinNames } from './trust-answer.ts';

const USER = 'mika';
const facts = (over: Partial<FolderCompleteData>) =>
  ({ folder_id: NAME.folderId, folder_slug: NAME.slug, hide_names: true, ...over }) as FolderCompleteData;
let keys: KeyStore;
const recall = async () => (await keys.recallFolder(USER, NAME)).known!;

beforeEach(async () => {
  keys = createKeyStore({ openRows: async () => null, nowMs: Date.now, serverTimeMs: Date.now });
  await keys.rememberKey(REMEMBERED);
});

/** What is done with uploads, by what is remembered, when the server says this. */
async function sealing(mode: FolderCompleteData['folder_link_mode'], hidesNames = true) {
  const { is_servers, mode: pinned, ring, kept } = await recall();
  const knows = { mode: pinned, hidesNames: ring.hidesNames, kept, address: 'none', isPinned: true, isReplaced: false };
  return trustOf({ ...knows, ring: is_servers ? 'servers' : 'own', address: 'none' }, { mode, hidesNames }).sealing;
}
const answer = async (question: TrustQuestion, reply: 'keep' | 'switch', over: Partial<FolderCompleteData> = {}) =>
  answerTrust(keys, { folder: facts(over), userId: USER }, await recall(), question, reply);

describe('"Keep it private"', () => {
  test.each(['plain', 'discord', 'names'] as const)(
    'to "%s" is not asked again, and seals as before',
    async (question) => {
      const says: Parameters<typeof sealing> = question === 'names' ? ['private', false] : [question];
      expect(await sealing(...says)).toEqual({ kind: 'asked', question });
      await answer(question, 'keep');
      expect(await sealing(...says)).toEqual({ kind: 'sealed', hidesNames: true });
      expect(await recall()).toMatchObject({ mode: 'private', ring: REMEMBERED.ring, kept: [question] });
    },
  );
});

describe('"I switched it"', () => {
  test('makes the folder a Discord link here, with its own keys', async () => {
    await answer('discord', 'switch');
    expect(await recall()).toMatchObject({ mode: 'discord', ring: REMEMBERED.ring, is_servers: false });
    expect(await sealing('discord')).toEqual({ kind: 'sealed', hidesNames: true });
    expect(await sealing('plain')).toEqual({ kind: 'asked', question: 'plain' });
  });

  test('makes names readable, and nothing else', async () => {
    await answer('names', 'switch');
    expect(await recall()).toMatchObject({ mode: 'private', ring: { ...REMEMBERED.ring, hidesNames: false } });
    expect(await sealing('private', false)).toEqual({ kind: 'sealed', hidesNames: false });
  });

  test('is no answer to "not encrypted": nothing unpins a folder into a plain one', async () => {
    await answer('plain', 'switch');
    expect(await recall()).toMatchObject({ mode: 'private', kept: ['plain'] });
    expect(await sealing('plain')).toEqual({ kind: 'sealed', hidesNames: true });
  });
});

test('the server’s key seals once the person has said so, and names stay as they were then', async () => {
  await keys.rememberKey({ ...REMEMBERED, secret: null, is_servers: true, mode: null });
  expect(await sealing('discord')).toEqual({ kind: 'asked', question: 'servers_key' });
  await answer('servers_key', 'keep');
  expect(await sealing('discord')).toEqual({ kind: 'asked', question: 'servers_key' });
  await answer('servers_key', 'switch');
  expect(await sealing('discord')).toEqual({ kind: 'sealed', hidesNames: true });
  expect(await sealing('discord', false)).toEqual({ kind: 'asked', question: 'names' });
});

test('what is set in Settings holds here, and brings no question', async () => {
  await answer('names', 'keep');
  await pinNames(keys, USER, NAME, false);
  expect(await recall()).toMatchObject({ ring: { hidesNames: false }, kept: [] });
  expect(await sealing('private', false)).toEqual({ kind: 'sealed', hidesNames: false });
  await pinNames(keys, USER, NAME, true);
  expect(await sealing('private', false)).toEqual({ kind: 'asked', question: 'names' });
});

test('nothing is remembered without a key or a person', async () => {
  await answerTrust(keys, { folder: facts({}), userId: null }, await recall(), 'discord', 'switch');
  await answerTrust(keys, { folder: facts({}), userId: USER }, null, 'discord', 'switch');
  await pinNames(keys, 'jonas', NAME, false);
  expect(await recall()).toMatchObject({ mode: 'private', ring: REMEMBERED.ring, kept: [] });
});
