// @vitest-environment happy-dom
import { encodeBase64Url } from '@satchel/container/base64url';
import { PATHS } from '@satchel/contract/paths';
import { vi } from 'vitest';
import { accountOf, fileEntry, folderData, listedFolder, MIKA, refusal } from '../../../test/answers.ts';
import { type Answers, openPage, unreachable } from '../../../test/page.tsx';
import { type State, testTexts } from '../../../test/specified-texts.ts';

/** Texts of folders and keys, and of the key in the address: what the page says of the server's answers. */

const DATA = `POST ${PATHS.rpc}/get_folder_complete_data`;
const LIST = `POST ${PATHS.list}/`;
const DIRECT = `GET ${PATHS.folders}/`;
const KEY = `GET ${PATHS.key}/`;
const PLAIN = folderData(MIKA);
const SEALED = folderData(MIKA, {
  folder_link_mode: 'private',
  temp_key_api_token: 'token',
  temp_key_passphrase: false,
});
const SECRET = `#k=${encodeBase64Url(new Uint8Array(32).fill(7))}`;

/** A visitor opens the folder by an address, while some of the site’s answers are replaced. */
const opening = (fragment: string, answers: Answers, search = '') =>
  openPage(`/f/${PLAIN.folder_slug}${search}${fragment}`, {
    [LIST]: [fileEntry('thing.txt_1763750000000_abcdefgh.enc')],
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    ...answers,
  });

/** As at an address without TLS, where browsers have no `crypto.subtle`. */
function withoutSubtle(): Promise<Element> {
  vi.spyOn(crypto, 'subtle', 'get').mockReturnValue(undefined as unknown as SubtleCrypto);
  return opening(`#${'ab'.repeat(64)}`, { [DATA]: SEALED });
}

const STATES: readonly State[] = [
  {
    name: 'a folder whose key service sends its own error text',
    reach: () =>
      opening(SECRET, {
        [DATA]: SEALED,
        [KEY]: () => Response.json({ success: false, error: 'The key keeper is asleep' }, { status: 503 }),
      }),
    texts: ['The key could not be fetched', /^The key keeper is asleep\. The files are there/],
  },
  {
    name: 'a folder whose key service can’t be reached',
    reach: () => opening(SECRET, { [DATA]: SEALED, [KEY]: unreachable }),
    texts: ['The key could not be fetched', /^Failed to fetch\. The files are there/],
  },
  {
    name: 'a folder whose key service has no key',
    reach: () =>
      opening(SECRET, {
        [DATA]: SEALED,
        [KEY]: () => Response.json({ success: false, error: 'Key not found' }, { status: 404 }),
      }),
    texts: ['Key not found'],
  },
  {
    name: 'a folder that is read directly, because the procedure failed',
    reach: () => opening(SECRET, { [DATA]: 500, [DIRECT]: listedFolder(MIKA, { link_mode: 'private' }) }),
    texts: ['The key could not be fetched', /^Key not found\. The files are there/],
  },
  {
    name: 'a folder whose address holds a key that is too short',
    reach: () => opening(`#${'ab'.repeat(60)}`, { [DATA]: SEALED }),
    texts: ['Invalid key format. Expected 128 hex characters, got 120'],
  },
  {
    name: 'a folder in a browser that can’t import its key',
    reach: withoutSubtle,
    texts: [/^Failed to import encryption keys: \S+/],
  },
  {
    name: 'a folder that can be read neither way',
    reach: () => opening('', { [DATA]: 500, [DIRECT]: 500 }),
    texts: ['Something went wrong'],
  },
  {
    name: 'a folder whose files can’t be listed',
    reach: () => opening('', { [DATA]: PLAIN, [LIST]: 500 }),
    texts: ['Error: Failed to load files'],
  },
  {
    name: 'a folder that was deleted while its owner has it open',
    reach: () =>
      opening(
        '',
        {
          ...accountOf(MIKA),
          [DATA]: PLAIN,
          [`POST ${PATHS.rpc}/get_folder_analytics`]: refusal(404, 'folder.not_found'),
        },
        '?tab=info',
      ),
    texts: ['Folder not found'],
  },
];

testTexts(STATES);
