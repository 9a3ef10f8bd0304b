import { encodeBase64Url } from '@satchel/container/base64url';
import { newKeyShare, newLinkSecret } from '@satchel/container/key';
import { type FolderKeyring, importKeyring, type Keyring, newKeyring, sealKeyring } from '@satchel/container/keyring';
import { sealLabel } from '@satchel/container/label';
import {
  FolderAnalytics,
  FolderCompleteData,
  PrivateKeyOutput,
  ProfileOutput,
  Session,
  SessionList,
} from '@satchel/contract/api';
import { WaitingDevice } from '@satchel/contract/device';
import { FileEntry, Folder, type User } from '@satchel/contract/entities';
import { AppError, type ErrorCode, type Params } from '@satchel/contract/errors';
import { splitPath } from '@satchel/contract/files/path-parts';
import { PATHS } from '@satchel/contract/paths';
import type { Answers } from './given-server.ts';

/** Answers of a server, each in the contract's shape: what is no answer of a real server throws here. */

const HOUR_MS = 3_600_000;
const MIB = 1024 ** 2;
/** Some hours away from now; ISO 8601. */
export const hoursFromNow = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
let ids = 0;
const newId = (): string => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;

/** People by the names of the sandbox's personas. */
export const MIKA: User = person('Mika', 'mika@sandbox.example');
export const JONAS: User = person('Jonas', 'jonas@sandbox.example');

function person(name: string, email: string): User {
  return { id: newId(), email, created_at: hoursFromNow(-99), user_metadata: { full_name: name, avatar_url: null } };
}

/** Who is signed in. */
export const sessionOf = (user: User) =>
  Session.parse({ session: { access_token: 'bearer', expires_at: hoursFromNow(1 / 6), user } });

/** A refusal as the server writes it. */
export const refusal =
  (status: number, code: ErrorCode, params: Params = {}) =>
  (): Response =>
    Response.json(new AppError(code, params).toWire(), { status });

export const profileOf = ({ id, user_metadata }: User, changes: Partial<ProfileOutput> = {}): ProfileOutput =>
  ProfileOutput.parse({
    id,
    name: user_metadata.full_name,
    discord_global_name: user_metadata.full_name,
    discord_username: `${user_metadata.full_name?.toLowerCase()}.sandbox`,
    discord_discriminator: '0',
    discord_id: '201934617452871681',
    discord_public_flags: 0,
    avatar_url: null,
    banner_url: null,
    accent_color: null,
    provider: 'discord',
    subscription_tier: 'free',
    created_at: hoursFromNow(-99),
    used_bytes: 0,
    reserved_bytes: 0,
    limits: { storage_bytes: 1024 * MIB, max_file_bytes: 100 * MIB, folder_lifetime_hours: 24 },
    is_operator: false,
    program: null,
    ...changes,
  });

/** Here, and on as many other devices. */
export const sessionList = (others = 0): SessionList =>
  SessionList.parse(
    Array.from({ length: others + 1 }, (_, index) => ({
      id: newId(),
      kind: 'browser',
      label: 'Chromium on Linux',
      created_at: hoursFromNow(-2),
      last_seen_at: hoursFromNow(-1),
      expires_at: hoursFromNow(700),
      is_this_one: index === 0,
    })),
  );

/** A command line that has just asked to be let in. */
export const waitingDevice = (changes: Partial<WaitingDevice> = {}): WaitingDevice =>
  WaitingDevice.parse({
    id: '00000000-0000-4000-8000-0000000000dc',
    user_code: 'WDJB-MJHT',
    client: 'satchel 1.0.0',
    host: 'Mika’s laptop',
    network: '203.0.113.7',
    is_same_network: true,
    created_at: hoursFromNow(-1 / 60),
    expires_at: hoursFromNow(9 / 60),
    ...changes,
  });

/** A folder as its owner's list has it. */
export const listedFolder = (owner: User, changes: Partial<Folder> = {}): Folder =>
  Folder.parse({
    id: newId(),
    slug: 'Bx7kQ2mN9pR4sT6v',
    name: 'Saturday raid',
    description: null,
    created_at: hoursFromNow(-0.5),
    expires_at: hoursFromNow(23.5),
    bucket: 'unlocked-folders',
    bucket_storage_path: 'folders/Bx7kQ2mN9pR4sT6v',
    size_bytes: 0,
    file_count: 0,
    owner_profile_id: owner.id,
    link_mode: 'plain',
    access: 'link',
    hide_names: true,
    show_name_in_previews: false,
    ...changes,
  });

/** The answer of `get_folder_complete_data`: a plain folder without files. */
export const folderData = (owner: User, changes: Partial<FolderCompleteData> = {}): FolderCompleteData => {
  const { id, slug, bucket, bucket_storage_path: path, created_at, expires_at } = listedFolder(owner);
  return FolderCompleteData.parse({
    folder_id: id,
    folder_slug: slug,
    folder_name: 'Saturday raid',
    folder_description: null,
    folder_created_at: created_at,
    folder_expires_at: expires_at,
    folder_bucket: bucket,
    folder_bucket_storage_path: path,
    folder_size_bytes: 0,
    folder_owner_profile_id: owner.id,
    folder_link_mode: 'plain',
    folder_access: 'link',
    hide_names: false,
    show_name_in_previews: false,
    owner_discord_username: 'mika.sandbox',
    owner_discord_global_name: owner.user_metadata.full_name,
    owner_avatar_url: null,
    owner_discord_id: '201934617452871681',
    owner_subscription_tier: 'free',
    owner_banner_url: null,
    owner_accent_color: null,
    temp_key_api_token: null,
    temp_key_expires_at: null,
    temp_key_created_at: null,
    temp_key_passphrase: null,
    server_time: new Date().toISOString(),
    ...changes,
  });
};

/** A private link: the fragment of its address, and what the server says of it. */
export interface FolderLink {
  readonly fragment: string;
  readonly facts: Partial<FolderCompleteData>;
  readonly ring: Keyring;
  readonly secret: Uint8Array<ArrayBuffer>;
  readonly keyring: FolderKeyring;
  /** The answer of the key service. */
  readonly key: PrivateKeyOutput;
}

/** A private link with keys of its own. */
export async function privateLink(): Promise<FolderLink> {
  const [ring, secret, share] = [newKeyring({ hidesNames: true }), newLinkSecret(), newKeyShare()];
  return {
    ring,
    secret,
    keyring: await importKeyring(ring),
    fragment: `#k=${encodeBase64Url(secret)}`,
    facts: {
      folder_link_mode: 'private',
      hide_names: true,
      temp_key_api_token: 'token',
      temp_key_created_at: hoursFromNow(-0.5),
      temp_key_expires_at: hoursFromNow(23.5),
      temp_key_passphrase: false,
    },
    key: PrivateKeyOutput.parse({
      success: true,
      sealed_key: await sealKeyring({ ring, secret, share }),
      key_share: encodeBase64Url(share),
      passphrase: false,
    }),
  };
}

/** A stored file in a folder's list. */
export const fileEntry = (name: string, size = 128, changes: Partial<FileEntry['metadata']> = {}): FileEntry =>
  FileEntry.parse({
    id: newId(),
    name,
    created_at: hoursFromNow(-0.1),
    updated_at: hoursFromNow(-0.1),
    metadata: { size, mimetype: 'text/plain', eTag: '"1"', ...changes },
  });

/** A file of an encrypted folder, by its path there. Its bytes are nowhere; of 9 MiB, it is too large to be opened unasked. */
export async function sealedEntry(
  { keyring }: Pick<FolderLink, 'keyring'>,
  path: string,
  sizeBytes = 9 * MIB,
  type = '',
): Promise<FileEntry> {
  ids += 1;
  // Its time counts up: the files of a test were chosen in the order in which it makes them.
  const storedName = `${String(ids).padStart(16, '0')}_${1_763_750_000_000 + ids}_abcdefgh.enc`;
  const label = { ...splitPath(path), type, sizeBytes, header: 'h'.repeat(43) };
  const [keys] = keyring.keys;
  if (!keys) throw new Error('a keyring without a key');
  const sealed = await sealLabel(keys, label, storedName);
  return fileEntry(storedName, sizeBytes + 500, { mimetype: 'application/octet-stream', sealed });
}

/** An encrypted folder of MIKA's: its address with the key, and what the server answers to JONAS. */
export async function sealedFolder(files: readonly (readonly [path: string, sizeBytes?: number])[]) {
  const link = await privateLink();
  const data = folderData(MIKA, link.facts);
  const address = `/f/${data.folder_slug}${link.fragment}`;
  const answers = {
    ...accountOf(JONAS),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`GET ${PATHS.key}/`]: link.key,
    [`POST ${PATHS.list}/`]: await Promise.all(files.map(([path, sizeBytes]) => sealedEntry(link, path, sizeBytes))),
  };
  return { address, answers };
}

/** A folder that has not been visited. */
export const NO_VISITS = FolderAnalytics.parse({
  total_views: 0,
  total_downloads: 0,
  unique_visitors: 0,
  activity: [],
  recent: [],
});

/** What the pages of a signed-in person ask for, who has nothing. */
export const accountOf = (user: User, changes: Partial<ProfileOutput> = {}): Answers => ({
  [`GET ${PATHS.session}`]: sessionOf(user),
  [`GET ${PATHS.profileMe}`]: profileOf(user, changes),
  [`GET ${PATHS.folders}?owner=me`]: [],
  [`GET ${PATHS.sessions}`]: sessionList(),
});
