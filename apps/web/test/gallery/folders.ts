import { formatKey } from '@satchel/container/key';
import { sealingKeyOf } from '@satchel/container/keyring';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { FileEntry, LinkMode, User } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { encodeLength } from '@satchel/contract/wire/still-frames';
import {
  accountOf,
  type FolderLink,
  fileEntry,
  folderData,
  hoursFromNow,
  MIKA,
  NO_VISITS,
  privateLink,
  sealedEntry,
} from '../answers.ts';
import type { Answer, Answers, Asked } from '../given-server.ts';
import { type FileName, fileOf, picture } from './files.ts';
import type { Given } from './state.ts';

/** Folders of MIKA's, as the server and the workers give them to the page. */

const ZIP = 'application/zip';
export const SLUG = 'Bx7kQ2mN9pR4sT6v';
export const DATA = `POST ${PATHS.rpc}/get_folder_complete_data`;
export const LIST = `POST ${PATHS.list}/`;

export interface Wish {
  readonly name?: string;
  readonly mode?: LinkMode;
  /** Who looks; null without an account. */
  readonly as?: User | null;
  readonly files?: readonly FileName[];
  /** The directories of some of them. */
  readonly places?: Partial<Readonly<Record<FileName, string>>>;
  /** Part of its address, such as `?tab=info`. */
  readonly search?: string;
  readonly withoutKey?: boolean;
  readonly passphrase?: boolean;
  readonly facts?: Partial<FolderCompleteData>;
  readonly answers?: Answers;
  /** Makes the list another one. */
  readonly list?: (entries: readonly FileEntry[]) => readonly FileEntry[];
}

export interface GivenFolder extends Given {
  readonly answers: Answers;
  readonly data: FolderCompleteData;
  readonly link: FolderLink;
}

/** Only pictures of a plain folder are read from the server: stills are what the page shows of them. */
async function stills({ body }: Asked): Promise<Response> {
  const { names } = body as { names: string[] };
  const bytes = new Uint8Array(await (await picture(90, 60)).arrayBuffer());
  return new Response(new Blob(names.flatMap(() => [encodeLength(bytes.length), bytes])));
}

const plainEntry = (name: string, { size, type }: Blob): FileEntry =>
  fileEntry(name, size, { mimetype: type, ...(type.startsWith('image/') ? { still: true as const } : {}) });

/** The container of a zip, whose parts the page reads as it needs them. */
async function sealedZip({ keyring }: FolderLink, name: string, blob: Blob) {
  const { sealForTest } = await import('@satchel/client/testing/sealed-file');
  const [keys] = keyring.keys;
  const plain = new Uint8Array(await blob.arrayBuffer());
  const { storedName, sealed, container } = await sealForTest(keys!, plain, { name, type: blob.type });
  const entry = fileEntry(storedName, container.length, { mimetype: 'application/octet-stream', sealed });
  return { entry, container };
}

/** Answers with the bytes that are asked for. */
const inRanges =
  (bytes: Uint8Array<ArrayBuffer>) =>
  ({ range }: Asked): Response => {
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
    const part = bytes.slice(Number(from), to === '' ? undefined : Number(to) + 1);
    const headers = { 'Content-Range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}` };
    return new Response(part, { status: 206, headers });
  };

const factsOf = (mode: LinkMode, { facts }: FolderLink): Partial<FolderCompleteData> => {
  if (mode === 'plain') return {};
  if (mode === 'revoked') return { folder_link_mode: 'revoked', hide_names: true };
  return { ...facts, folder_link_mode: mode };
};

function keyAnswer(mode: LinkMode, link: FolderLink, passphrase: boolean): object | number {
  if (mode === 'discord') return { success: true, encryption_key: formatKey(sealingKeyOf(link.ring)) };
  if (passphrase) return { success: true, passphrase: true };
  return link.key;
}

/** As many entries of a list as were asked for, from where they were asked for. */
export const listing =
  (entries: readonly FileEntry[]) =>
  ({ body }: Asked): Response => {
    const {
      offset = 0,
      limit = entries.length,
      sortBy,
    } = body as {
      offset?: number;
      limit?: number;
      sortBy?: { order?: string };
    };
    const sorted = sortBy?.order === 'desc' ? entries.toReversed() : entries;
    return Response.json(sorted.slice(offset, offset + limit));
  };

export async function folder({
  name = 'Lantern Festival',
  mode = 'private',
  as = MIKA,
  files = [],
  places = {},
  search = '',
  withoutKey = false,
  passphrase = false,
  facts = {},
  answers = {},
  list = (entries) => entries,
}: Wish = {}): Promise<GivenFolder> {
  const link = await privateLink();
  const blobs = await Promise.all(files.map((file) => fileOf(file)));
  const readInRanges: Record<string, Answer> = {};
  const entries = await Promise.all(
    files.map(async (file, at) => {
      const blob = blobs[at]!;
      const path = places[file] === undefined ? file : `${places[file]}/${file}`;
      if (mode === 'plain') return plainEntry(path, blob);
      if (blob.type !== ZIP) return sealedEntry(link, path, blob.size, blob.type);
      const { entry, container } = await sealedZip(link, file, blob);
      readInRanges[`GET ${PATHS.objectPublic}/unlocked-folders/folders/${SLUG}/${entry.name}`] = inRanges(container);
      return entry;
    }),
  );
  const data = folderData(MIKA, {
    folder_slug: SLUG,
    folder_name: name,
    folder_size_bytes: entries.reduce((sum, { metadata }) => sum + metadata.size, 0),
    ...factsOf(mode, link),
    ...(passphrase && { temp_key_passphrase: true }),
    ...facts,
  });
  const hasKey = mode !== 'plain' && mode !== 'discord' && !withoutKey;
  return {
    address: `/f/${SLUG}${search}${hasKey ? link.fragment : ''}`,
    data,
    link,
    opened: Object.fromEntries(files.map((file, at) => [file, blobs[at]!])),
    answers: {
      [DATA]: data,
      [LIST]: listing(list(entries)),
      [`POST ${PATHS.rpc}/record_folder_event`]: 204,
      [`POST ${PATHS.rpc}/get_folder_analytics`]: NO_VISITS,
      [`GET ${PATHS.key}/`]: keyAnswer(mode, link, passphrase),
      [`POST ${PATHS.still}/`]: stills,
      [`GET ${PATHS.uploads}`]: [],
      ...readInRanges,
      ...(as && accountOf(as)),
      ...answers,
    },
  };
}

/** This device has the folder's keys, from when it made the folder or opened its link. */
export async function remember({ data, link }: GivenFolder, mode: 'private' | 'discord' = 'private'): Promise<void> {
  const { rememberKey } = await import('../../src/engine/keys/key-store.ts');
  await rememberKey({
    userId: MIKA.id,
    folderId: data.folder_id,
    slug: data.folder_slug,
    secret: mode === 'private' ? link.secret : null,
    ring: link.ring,
    mode,
    kept: [],
    pending: null,
    is_servers: false,
    api_token: 'token',
    expires_at: hoursFromNow(20),
  });
}
