import { LinkMode } from '@satchel/contract/entities';
import { factsSeen, type SeenFolder, SIGHT_FACTS, type SightFact } from '@satchel/contract/server-sight';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, test } from 'vitest';
import { type Schema, TABLES } from '../support/stored-state.ts';

/**
 * For every column: what it tells the server about a folder, its files and its visitors, or why it tells nothing. A new
 * column must be described here, and what it tells must be among the facts that the page shows (`factsSeen`), in the
 * same modes.
 */

/** The folders for which a column tells a fact. */
type When = (folder: SeenFolder) => boolean;

interface ColumnSight {
  readonly tells: ReadonlyMap<SightFact, When>;
  /** Why it tells nothing, or nothing more. */
  readonly because: string | null;
}

const always: When = () => true;
const plain: When = ({ link_mode }) => link_mode === 'plain';
const discord: When = ({ link_mode }) => link_mode === 'discord';
const privateLink: When = ({ link_mode }) => link_mode === 'private';
const readable: When = (folder) => plain(folder) || discord(folder);
/** Encrypted folders with readable names keep them in the same columns as plain ones. */
const namesInClear: When = (folder) => plain(folder) || !folder.hide_names;

/** @param told one fact about every folder, or facts with the folders that they are about */
const tells = (told: SightFact | Partial<Record<SightFact, When>>, because: string | null = null): ColumnSight => {
  const facts = typeof told === 'string' ? { [told]: always } : told;
  return { tells: new Map(Object.entries(facts) as [SightFact, When][]), because };
};
const nothing = (because: string): ColumnSight => ({ tells: new Map(), because });

const PERSON = tells({ owner: always, visitors: always });
const ID = nothing('made at random, and joins rows only');
const JOINS = nothing('says which folder a row belongs to');
const HASH = nothing('the hash of a random token, made to recognize it');
const HOUSEKEEPING = nothing('the server’s own work on the row: when, and how often');
const ACCOUNT = nothing('of a person’s account and not of a folder; the profile page has it');
const OPERATORS = nothing('of operators and of what they decide about persons, not of a folder');
const SERVERS = nothing('of a Discord server and what its managers set there, not of a folder');
const OPENS_NOTHING = 'opens nothing without the secret after the # in the link';

const PROCESS = nothing('of the processes that serve the site, and of their directory');

type TableSight<Table extends PgTable> = Readonly<Record<keyof Table['$inferSelect'], ColumnSight>>;
/** Typed by the tables: a column without a line fails the type check, before any test runs. */
type SchemaSight = {
  readonly [Name in keyof Schema]: TableSight<Schema[Name]>;
};

const SCHEMA_SIGHT: SchemaSight = {
  profiles: {
    id: ID,
    name: PERSON,
    email: tells('owner', 'visitors have one, too, but nothing of it is looked up for a visit'),
    discord_id: PERSON,
    discord_username: PERSON,
    discord_global_name: PERSON,
    discord_discriminator: PERSON,
    discord_public_flags: tells('owner'),
    avatar_url: PERSON,
    banner_url: tells('owner'),
    accent_color: tells('owner'),
    provider: nothing('the same for everyone'),
    subscription_tier: tells('owner'),
    upload_link_mode: tells('discord'),
    copies_link: tells('discord'),
    used_bytes: tells('owner'),
    reserved_bytes: tells('owner'),
    created_at: tells('owner'),
  },
  sessions: {
    id: ID,
    kind: ACCOUNT,
    token_hash: HASH,
    profile_id: ACCOUNT,
    created_at: ACCOUNT,
    expires_at: ACCOUNT,
    label: ACCOUNT,
    last_seen_at: ACCOUNT,
  },
  device_codes: {
    id: ID,
    device_code_hash: HASH,
    user_code_hash: HASH,
    client: ACCOUNT,
    host: ACCOUNT,
    network: nothing('the address of a command line that waits for its sign-in, for ten minutes; of no folder'),
    allowed_by: ACCOUNT,
    is_refused: ACCOUNT,
    interval_seconds: HOUSEKEEPING,
    polled_at: HOUSEKEEPING,
    created_at: HOUSEKEEPING,
    expires_at: HOUSEKEEPING,
  },
  slugs: {
    slug: tells('afterwards'),
    expires_at: tells('afterwards'),
    folder_id: JOINS,
    storage_path: JOINS,
    taken_down_reason: tells('afterwards'),
    restricted: tells('afterwards'),
    purge_at: tells('afterwards'),
  },
  folders: {
    id: ID,
    slug: tells('folder'),
    name: tells('folder'),
    description: tells('folder'),
    created_at: tells('folder'),
    expires_at: tells('folder'),
    bucket: nothing('the same for everyone'),
    bucket_storage_path: ID,
    size_bytes: tells('file_figures'),
    file_count: tells('file_figures'),
    owner_profile_id: tells('owner'),
    link_mode: tells('folder'),
    access: tells('folder'),
    hide_names: tells('folder'),
    show_name_in_previews: tells('folder'),
    deleted_at: tells('folder'),
  },
  temp_encryption_keys: {
    folder_id: JOINS,
    slug: JOINS,
    encrypted_key: tells(
      { key: discord, contents: discord, file_names: discord },
      `that of a private link ${OPENS_NOTHING}`,
    ),
    expires_at: tells('folder'),
    owner_user_id: JOINS,
    api_token: nothing('random; the server tells it to every visitor who knows the short link'),
    created_at: tells('folder'),
    share_id: ID,
    proof_hash: tells({ passphrase: privateLink }, 'a guess at the passphrase can’t be tried on it without the link'),
    latest_at: tells('folder'),
  },
  staged_labels: {
    folder_id: JOINS,
    stage_id: ID,
    name: tells({ file_figures: always, file_names: namesInClear }, 'as the name of the file itself'),
    earlier: nothing('sealed, as the label of the file itself'),
    sealed: nothing('sealed, as the label of the file itself'),
    staged_at: HOUSEKEEPING,
  },
  passphrase_tries: {
    id: ID,
    folder_id: JOINS,
    tried_at: tells({ passphrase: privateLink }),
    client: tells({ passphrase: privateLink }, 'a pseudonym of the day'),
  },
  files: {
    id: ID,
    folder_id: JOINS,
    name: tells({ file_figures: always, file_names: namesInClear }, 'a hidden name’s is random, with a time in it'),
    size_bytes: tells('file_figures'),
    mimetype: tells({ file_names: namesInClear }, 'every hidden type is application/octet-stream'),
    cache_control: nothing('how long a browser may keep the bytes'),
    sealed: tells({ file_names: discord }, 'sealed under the folder’s key; a plain folder’s files have none'),
    blob_key: tells(
      { contents: readable },
      'where the bytes lie: they are sealed under the folder’s key, unless the folder is plain',
    ),
    still_key: tells(
      { stills: always, contents: readable },
      'where its still lies: sealed as the file is; that there is one says that the file is a picture, a film or a PDF',
    ),
    still_small_bytes: tells('stills', 'padded, unless the folder is plain'),
    still_large_bytes: tells('stills', 'padded, unless the folder is plain'),
    checksum: tells({ contents: readable }, 'of the stored bytes: who has a plain file recognises it'),
    still_checksum: tells({ stills: always, contents: readable }, 'the same of its still'),
    created_at: tells('file_figures'),
    updated_at: tells('file_figures'),
  },
  uploads: {
    id: ID,
    folder_id: JOINS,
    profile_id: tells('owner'),
    name: tells({ file_figures: always, file_names: namesInClear }, 'as in files'),
    mimetype: tells({ file_names: namesInClear }, 'as in files'),
    cache_control: nothing('how long a browser may keep the bytes'),
    sealed: tells({ file_names: discord }, 'as in files'),
    upsert: tells('file_figures'),
    metadata: tells({ file_names: namesInClear }, 'the same name, type and label once more'),
    length_bytes: tells('file_figures'),
    offset_bytes: tells('file_figures'),
    checksum: tells({ contents: readable }, 'as in files'),
    blob_key: tells({ contents: readable }, 'as in files'),
    lease_epoch: HOUSEKEEPING,
    completed_at: tells('file_figures'),
    created_at: tells('file_figures'),
    expires_at: tells('file_figures'),
  },
  gone_uploads: { id: ID, profile_id: ACCOUNT, gone_at: HOUSEKEEPING },
  blob_parts: { blob_key: ID, start_bytes: HOUSEKEEPING, name: HOUSEKEEPING },
  blob_removals: { blob_key: ID, queued_at: HOUSEKEEPING, attempts: HOUSEKEEPING, held_until: HOUSEKEEPING },
  folder_activity: {
    folder_id: JOINS,
    hour: tells('visits'),
    views: tells('visits'),
    downloads: tells('visits'),
    visitors: tells('visits'),
  },
  folder_visitors: {
    folder_id: JOINS,
    visitor: tells('visitors', 'of who isn’t signed in a pseudonym, under a salt that is deleted with the day'),
    profile_id: tells('visitors'),
    first_seen_at: tells('visitors'),
    last_seen_at: tells('visitors'),
    counted_at: tells('visitors'),
    views: tells('visitors'),
    downloads: tells('visitors'),
  },
  folder_grants: { token_hash: HASH, folder_id: JOINS, created_at: tells('discord'), expires_at: tells('discord') },
  folder_guests: { folder_id: JOINS, holder_hash: tells('discord', HASH.because), created_at: tells('discord') },
  folder_shares: {
    id: ID,
    folder_id: JOINS,
    discord_id: tells('discord'),
    guild_id: tells('discord'),
    created_at: tells('discord'),
  },
  upload_intents: {
    id: ID,
    token_hash: HASH,
    discord_id: tells('discord'),
    folder_name: tells('discord'),
    lifetime_hours: tells('discord'),
    link_mode: tells('discord'),
    folder_id: JOINS,
    reply_token: nothing('sealed; edits one reply in Discord, for 15 minutes'),
    language: tells('discord'),
    created_at: tells('discord'),
    expires_at: tells('discord'),
    redeemed_at: tells('discord'),
    told_at: HOUSEKEEPING,
    telling_until: HOUSEKEEPING,
    card: tells('discord'),
  },
  interactions: {
    id: nothing('Discord’s number of a command, which says neither whose nor which it was'),
    sealed_answer: nothing('sealed under a token that is not kept'),
    received_at: HOUSEKEEPING,
  },
  guild_settings: {
    guild_id: SERVERS,
    link_mode: SERVERS,
    lifetime_hours: SERVERS,
    members_only: SERVERS,
    channel_ids: SERVERS,
    log_webhook: SERVERS,
  },
  reports: {
    id: ID,
    slug: tells('reports'),
    reason: tells('reports'),
    note: tells('reports'),
    sealed_keys: tells('reports', 'sealed to operators: their browsers open it, the server can’t'),
    created_at: tells('reports'),
    closed_at: tells('reports'),
    outcome: tells('reports'),
  },
  operator_keys: { id: ID, discord_id: OPERATORS, public_key: OPERATORS, created_at: OPERATORS },
  bans: { discord_id: OPERATORS, reason: OPERATORS, created_at: OPERATORS },
  denied_blobs: {
    sha256: tells('afterwards', 'of the stored bytes: of sealed ones it says nothing of what is inside'),
    size_bytes: tells('afterwards'),
    reason: tells('afterwards'),
    created_at: tells('afterwards'),
  },
  operator_acts: {
    id: ID,
    at: tells('afterwards'),
    operator_discord_id: OPERATORS,
    act: tells('afterwards'),
    target: tells('afterwards'),
    detail: tells('afterwards'),
  },
  site: { role: PROCESS, id: PROCESS, is_paired: PROCESS, holder: PROCESS, holder_name: PROCESS },
  site_switches: {
    name: nothing('a word of this program'),
    is_off: nothing('of the whole site'),
  },
  rate_counts: {
    counter: nothing('a keyed hash, which says neither whom nor what it counts'),
    count: HOUSEKEEPING,
    ends_at: HOUSEKEEPING,
  },
  visitor_salts: {
    day: HOUSEKEEPING,
    sealed_salt: nothing(
      'random, sealed, and deleted with its day; without it the pseudonyms of visitors name no person',
    ),
  },
  discord_issuer: {
    id: HOUSEKEEPING,
    api_host: nothing('the same for the whole site, and public'),
    client_id: nothing('the same for the whole site, and public'),
  },
  taken_back: {
    id: HOUSEKEEPING,
    at: HOUSEKEEPING,
    kind: nothing('a word of this program'),
    ref: nothing('the id of what was taken back, for the moment until the journal has it'),
    detail: nothing('what a folder’s settings, a ban or a takedown say anyway, for that moment'),
  },
  node_settings: { name: PROCESS, fingerprint: nothing('a keyed hash of a secret, by which nodes notice another one') },
};

/** What the columns tell about such a folder, and where. */
function factsStored(folder: SeenFolder): Map<SightFact, string[]> {
  const told = new Map<SightFact, string[]>();
  for (const [table, columns] of Object.entries(SCHEMA_SIGHT)) {
    for (const [column, sight] of Object.entries(columns)) {
      for (const fact of SIGHT_FACTS.filter((known) => sight.tells.get(known)?.(folder))) {
        told.set(fact, [...(told.get(fact) ?? []), `${table}.${column}`]);
      }
    }
  }
  return told;
}

/** Compares "What the server can see" on the folder page with the columns of the server's tables. */

const FOLDERS: readonly SeenFolder[] = LinkMode.options.flatMap((link_mode) =>
  [true, false].map((hide_names) => ({ link_mode, hide_names })),
);

const columnsOf = (tables: typeof TABLES) =>
  tables.flatMap((table) => {
    const { name, columns } = getTableConfig(table);
    return columns.map((column) => `${name}.${column.name}`);
  });
const described = Object.entries(SCHEMA_SIGHT).flatMap(([table, columns]) =>
  Object.keys(columns).map((column) => `${table}.${column}`),
);

test('every column is described, by what it tells of a folder or why it tells nothing; and no other is', () => {
  expect(described.toSorted()).toEqual(columnsOf(TABLES).toSorted());
});

test('a column that tells nothing says why', () => {
  const silent = Object.values(SCHEMA_SIGHT)
    .flatMap((columns) => Object.entries(columns))
    .filter(([, { tells, because }]) => tells.size === 0 && !because);
  expect(silent).toEqual([]);
});

describe.each(FOLDERS)('of a folder ($link_mode, names hidden: $hide_names)', (folder) => {
  const stored = factsStored(folder);

  test('the page says every fact that a column tells', () => {
    const unsaid = [...stored].filter(([fact]) => !factsSeen(folder).has(fact));
    expect(unsaid).toEqual([]);
  });

  test('the page says only facts that a column tells', () => {
    expect([...factsSeen(folder)].filter((fact) => !stored.has(fact))).toEqual([]);
  });
});

test('every fact is true of some folder', () => {
  const told = new Set(FOLDERS.flatMap((folder) => [...factsStored(folder).keys()]));
  expect(SIGHT_FACTS.filter((fact) => !told.has(fact))).toEqual([]);
});
