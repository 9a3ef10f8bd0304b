import { formatKey } from '@satchel/container/key';
import { newKeyring } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import { beforeEach, expect, test } from 'vitest';
import {
  created,
  depositOf,
  FOLDER,
  kit,
  linkHash,
  OWNER,
  renewed,
  resetKit,
  sealedBy,
  sealingKey,
} from '../testing/key-kit.ts';
import type { CreatedFolderKey } from './folder-crypto.ts';
import { trustOf } from './folder-trust.ts';

/** Every lie about a private folder, to every device: what is done with uploads, and under which key (docs/container.md §6). */

beforeEach(resetKit);

const ofServer = newKeyring({ hidesNames: true });
const { folder_id: folderId, folder_slug: slug, folder_expires_at: expires_at } = FOLDER;

const LIES: readonly { says: string; facts: Partial<FolderCompleteData>; answer?: () => Response }[] = [
  { says: 'not encrypted', facts: { folder_link_mode: 'plain' } },
  { says: 'a Discord link', facts: { folder_link_mode: 'discord' }, answer: () => depositOf(ofServer) },
  { says: 'with readable names', facts: { hide_names: false } },
];

/** As creating a folder and making a link do. */
const remember = ({ ring, secret }: Pick<CreatedFolderKey, 'ring' | 'secret'>) => {
  const row = { ring, secret, mode: 'private', kept: [], pending: null, is_servers: false, expires_at } as const;
  return kit.keys.rememberKey({ userId: OWNER, folderId, slug, ...row, api_token: FOLDER.temp_key_api_token });
};

/** Each brings a device to what it knows before the lie, and gives what its address has after the `#`. */
const DEVICES: Readonly<Record<string, () => Promise<string>>> = {
  'the device that created it': async () => {
    await remember(created);
    return '';
  },
  'the device that has just made a new link': async () => {
    await remember(await renewed(created.ring));
    return '';
  },
  'a device that has opened it': async () => {
    await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    return '';
  },
  'a device that has opened it, by the full link': async () => {
    await kit.load({ folder: FOLDER, userId: OWNER, hash: linkHash() });
    return linkHash();
  },
  'a second device with the full link': async () => linkHash(),
  'a second device with a key in the address': async () => `#${formatKey(sealingKey(created)!)}`,
  'a second device without the link': async () => '',
};

const SAID: Readonly<Record<string, readonly [plain: string, discord: string, names: string]>> = {
  'the device that created it': ['asks plain', 'asks discord', 'asks names'],
  'the device that has just made a new link': ['asks plain', 'asks discord', 'asks names'],
  'a device that has opened it': ['asks plain', 'asks discord', 'asks names'],
  'a device that has opened it, by the full link': ['asks plain', 'asks discord', 'asks names'],
  // The server withholds what the link opens.
  'a second device with the full link': ['asks plain', 'no: needs_link', 'asks names'],
  'a second device with a key in the address': ['no: not_plain', 'asks servers_key', 'no: needs_link'],
  // It knows nothing of the folder, which may be plain as well.
  'a second device without the link': ['plain', 'asks servers_key', 'no: needs_link'],
};

test.each(Object.keys(DEVICES))(
  '%s asks or refuses by what it knows, and seals under a key of the server’s only after a yes',
  async (device) => {
    const said: string[] = [];
    for (const { facts, answer } of LIES) {
      resetKit();
      const hash = await DEVICES[device]!();
      kit.answer = answer ?? (() => sealedBy(created));
      const folder = { ...FOLDER, ...facts };
      const loaded = await kit.load({ folder, userId: OWNER, hash });
      const says = { mode: folder.folder_link_mode, hidesNames: folder.hide_names };
      const { sealing } = trustOf({ ...loaded.knows, isReplaced: false }, says);
      if (sealing.kind === 'asked') said.push(`asks ${sealing.question}`);
      else said.push(sealing.kind === 'blocked' ? `no: ${sealing.block}` : sealing.kind);
      const isServers = ofServer.keys.some(
        (key) => loaded.sealingKey && formatKey(loaded.sealingKey) === formatKey(key),
      );
      expect(isServers).toBe(said.at(-1) === 'asks servers_key');
    }
    expect(said).toEqual(SAID[device]);
  },
);
