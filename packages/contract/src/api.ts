import { z } from 'zod';
import {
  FileEntry,
  Folder,
  FolderAccess,
  FolderDescription,
  FolderName,
  Id,
  LinkMode,
  NewLinkMode,
  Profile,
  SessionKind,
  TempKeyInfo,
  TierLimits,
  Timestamp,
  User,
  WellFormedText,
} from './entities.ts';
import { LIST_LIMIT, LIST_LIMIT_MAX, SEALED_LABEL_MAX_BYTES, SIGNED_URL_SECONDS } from './limits.ts';
import { Base64Url32, checkLink, EarlierKeys, EncryptionKey, PRIVATE_LINK_FIELDS, SealedKey } from './link-fields.ts';
import { SLUG_PATTERN } from './naming.ts';
import { STILLS_READ_MAX } from './wire/still-limits.ts';

/** The HTTP surface: the shapes of requests and answers. */

export { PATHS } from './paths.ts';

// Auth

/** Where a sign-in begins: at Discord. */
export const AuthorizeOutput = z.object({ url: z.string() });
export type AuthorizeOutput = z.infer<typeof AuthorizeOutput>;

export const Session = z.object({
  session: z.object({ access_token: z.string(), expires_at: Timestamp, user: User }).nullable(),
});
export type Session = z.infer<typeof Session>;

/** A stored session. `label` names browser and system, as far as known, or the host of a device. */
const KeptSession = z.object({
  kind: SessionKind,
  label: z.string().nullable(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
  is_this_one: z.boolean(),
});
/** GET /auth/v1/sessions: one's own sessions. */
export const SessionList = z.array(KeptSession.extend({ id: Id }));
export type SessionList = z.infer<typeof SessionList>;

/** POST /auth/v1/logout?scope=: this session, all but this one, or all of them. */
export const LogoutQuery = z.object({ scope: z.enum(['local', 'others', 'global']).default('local') });

/** POST /discord/grants/redeem: the grant of a click in Discord lets this browser into one folder. */
export const RedeemInput = z.object({ grant: Base64Url32 });
export type RedeemInput = z.infer<typeof RedeemInput>;
export const RedeemOutput = z.object({ folder_slug: z.string() });
export type RedeemOutput = z.infer<typeof RedeemOutput>;

/**
 * POST /discord/intents/redeem: what a person asked for by /upload in Discord. It creates no
 * session: only a session of the same Discord account redeems it, once, within 15 minutes.
 */
export const RedeemIntentInput = z.object({ intent: Base64Url32 });
export type RedeemIntentInput = z.infer<typeof RedeemIntentInput>;
export const RedeemIntentOutput = z.object({
  intent_id: Id,
  folder_name: z.string().nullable(),
  lifetime_hours: z.number().positive().nullable(),
  link_mode: NewLinkMode,
});
export type RedeemIntentOutput = z.infer<typeof RedeemIntentOutput>;

// Procedures: POST /rest/v1/rpc/{name}

/** An expired folder gives its slug and date, nothing else. */
export const ExpiredFolder = z.object({ folder_slug: z.string(), folder_expires_at: Timestamp });
export type ExpiredFolder = z.infer<typeof ExpiredFolder>;

export const FolderCompleteData = z.object({
  folder_id: Id,
  folder_slug: z.string(),
  folder_name: z.string().nullable(),
  folder_description: z.string().nullable(),
  folder_created_at: Timestamp,
  folder_expires_at: Timestamp,
  folder_bucket: z.string(),
  folder_bucket_storage_path: z.string(),
  folder_size_bytes: z.number().int().nonnegative(),
  folder_owner_profile_id: Id,
  folder_link_mode: LinkMode,
  folder_access: FolderAccess,
  hide_names: z.boolean(),
  show_name_in_previews: z.boolean(),
  owner_discord_username: z.string().nullable(),
  owner_discord_global_name: z.string().nullable(),
  owner_avatar_url: z.string().nullable(),
  owner_discord_id: z.string().nullable(),
  owner_subscription_tier: z.string().nullable(),
  owner_banner_url: z.string().nullable(),
  owner_accent_color: z.number().int().nullable(),
  temp_key_api_token: z.string().nullable(),
  temp_key_expires_at: Timestamp.nullable(),
  temp_key_created_at: Timestamp.nullable(),
  /** Whether the key is released only against a proof of the passphrase; null without a key. */
  temp_key_passphrase: z.boolean().nullable(),
  /** The database's clock, so that a countdown is right on a device with a wrong clock. */
  server_time: Timestamp,
});
export type FolderCompleteData = z.infer<typeof FolderCompleteData>;

export const FolderCompleteInput = z.object({
  input_folder_slug: z.string().max(128),
  requesting_user_id: Id.nullish(),
});

/** Nothing can be opened in less than a second. */
const LifetimeHours = z.number().min(1 / 3600);

export const CreateFolderInput = z
  .object({
    folder_name: FolderName.nullish(),
    folder_slug: z.string().regex(SLUG_PATTERN).nullish(),
    folder_description: FolderDescription.nullish(),
    owner_id: Id.nullish(),
    bucket_name: z.string().nullish(),
    ...PRIVATE_LINK_FIELDS,
    /** The folder key itself, for a Discord link. */
    encryption_key: EncryptionKey.nullish(),
    earlier_keys: EarlierKeys.nullish(),
    expires_in_hours: LifetimeHours.nullish(),
    hide_names: z.boolean().default(true),
    /** A redeemed intent: the reply to its /upload is edited as files come into this folder. */
    intent_id: Id.nullish(),
  })
  .superRefine((input, context) =>
    checkLink(input, { depositedKey: input.encryption_key, earlierKeys: input.earlier_keys }, context),
  );
export type CreateFolderInput = z.input<typeof CreateFolderInput>;

export const CreateFolderOutput = z.object({ folder: Folder, temp_key_info: TempKeyInfo.nullable() });
export type CreateFolderOutput = z.infer<typeof CreateFolderOutput>;

export const UpdateFolderInput = z.object({
  folder_id: Id,
  new_name: FolderName.nullish(),
  new_description: FolderDescription.nullish(),
  new_expires_at: Timestamp.optional(),
  new_hide_names: z.boolean().optional(),
  new_show_name_in_previews: z.boolean().optional(),
  new_access: FolderAccess.nullish(),
});
export type UpdateFolderInput = z.infer<typeof UpdateFolderInput>;
export const UpdateFolderOutput = z.object({ folder: Folder });

export const DeleteFolderInput = z.object({ folder_id: Id, requesting_user_id: Id.nullish() });
export const RevokeKeyInput = z.object({ folder_id: Id });

/** Replaces a folder's link: a Discord link by `encrypted_key`, or a private one (docs/container.md §3). */
export const GenerateKeyInput = z
  .object({
    folder_id: Id,
    ...PRIVATE_LINK_FIELDS,
    /** The folder key itself, in hex. */
    encrypted_key: EncryptionKey.nullish(),
    /** The folder's earlier keys, for files that were sealed under them. */
    earlier_keys: EarlierKeys.nullish(),
    /** How long the server keeps the key; never longer than the folder lives. */
    expires_in_hours: LifetimeHours.nullish(),
    /**
     * The labels of the folder's files under the newest key (docs/container.md §6), which `stage_folder_labels` has brought:
     * they become current together with the link. Required where a private link is made for a folder with labels.
     */
    relabel: z
      .object({
        stage_id: Id,
        /** The api_token of the link that this one replaces; null where the folder has none. */
        replaces: z.string().max(128).nullable(),
      })
      .nullish(),
  })
  .superRefine((input, context) => {
    checkLink(input, { depositedKey: input.encrypted_key, earlierKeys: input.earlier_keys }, context);
    const hasKey = input.encrypted_key != null || input.sealed_key != null || input.key_share != null;
    if (!hasKey) {
      context.addIssue({
        code: 'custom',
        path: ['encrypted_key'],
        message: 'a new link needs encrypted_key, or sealed_key and key_share',
      });
    }
  });
export type GenerateKeyInput = z.input<typeof GenerateKeyInput>;

/** New labels of one call: few enough for a request, and for a folder's lock. */
export const RELABEL_MAX = 100;
const BoundLabel = z
  .string()
  .max(SEALED_LABEL_MAX_BYTES)
  .regex(/^2\.[A-Za-z0-9_-]+$/);

/**
 * Brings labels under a new folder key, which nobody sees before `generate_temp_encryption_key` makes them current. Called
 * again and again: each answer names labels that the stage lacks, until there are none.
 */
export const StageLabelsInput = z.object({
  folder_id: Id,
  /** Made by the page, for one change of the link. */
  stage_id: Id,
  labels: z
    .array(
      z.object({
        name: WellFormedText.max(1024),
        /** The label that the file, or the open upload, has now. */
        earlier: BoundLabel,
        /** Null for an entry that the present key does not prove: it keeps its label. */
        sealed: BoundLabel.nullable(),
      }),
    )
    .max(RELABEL_MAX),
});
export type StageLabelsInput = z.infer<typeof StageLabelsInput>;
export const StageLabelsOutput = z.object({
  missing: z.array(z.object({ name: z.string(), sealed: z.string() })).max(RELABEL_MAX),
});
export type StageLabelsOutput = z.infer<typeof StageLabelsOutput>;

// Activity

export const EventKind = z.enum(['view', 'download']);
export type EventKind = z.infer<typeof EventKind>;

/** `object` is the downloaded file's path or name. It is not stored: figures are kept by folder. */
export const RecordEventInput = z.object({
  folder_slug: z.string().max(128),
  kind: EventKind,
  object: z.string().max(1024).nullish(),
});
export type RecordEventInput = z.input<typeof RecordEventInput>;

export const AnalyticsInput = z.object({ folder_slug: z.string().max(128) });
export type AnalyticsInput = z.infer<typeof AnalyticsInput>;

export const ActivityHour = z.object({
  hour: Timestamp,
  views: z.number().int().nonnegative(),
  downloads: z.number().int().nonnegative(),
});
export type ActivityHour = z.infer<typeof ActivityHour>;

/** A signed-in visitor. Without the e-mail address. */
export const RecentVisitor = z.object({
  profile_id: Id,
  name: z.string().nullable(),
  username: z.string().nullable(),
  avatar_url: z.string().nullable(),
  is_you: z.boolean(),
  last_viewed_at: Timestamp,
  downloads: z.number().int().nonnegative(),
});
export type RecentVisitor = z.infer<typeof RecentVisitor>;

/** `activity` has each hour (UTC) from the folder's creation until now; `recent` is the newest first. */
export const FolderAnalytics = z.object({
  total_views: z.number().int().nonnegative(),
  total_downloads: z.number().int().nonnegative(),
  unique_visitors: z.number().int().nonnegative(),
  activity: z.array(ActivityHour),
  recent: z.array(RecentVisitor),
});
export type FolderAnalytics = z.infer<typeof FolderAnalytics>;

// Reads

export const FoldersQuery = z.object({ owner: z.literal('me') });
export const FolderList = z.array(Folder);

/** GET /rest/v1/server_time: the database's clock, which decides when something ends. */
export const ServerTime = z.object({ server_time: Timestamp });
export type ServerTime = z.infer<typeof ServerTime>;
/** One's own profile, what its tier allows, and whether it may use the operator's page. */
export const ProfileOutput = Profile.extend({
  limits: TierLimits,
  is_operator: z.boolean(),
  /** Which program answers; null for all who aren't operators. */
  program: z.string().nullable(),
});
export type ProfileOutput = z.infer<typeof ProfileOutput>;

// Own data: GET /rest/v1/profiles/me/export

const ExportedFile = z.object({
  name: z.string(),
  size_bytes: z.number().int().nonnegative(),
  mimetype: z.string(),
  cache_control: z.string(),
  sealed: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const ExportedUpload = z.object({
  folder_id: Id,
  name: z.string(),
  mimetype: z.string(),
  cache_control: z.string(),
  sealed: z.string().nullable(),
  length_bytes: z.number().int().positive(),
  offset_bytes: z.number().int().nonnegative(),
  created_at: Timestamp,
  expires_at: Timestamp,
});

const ExportedVisit = z.object({
  folder_slug: z.string(),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  views: z.number().int().nonnegative(),
  downloads: z.number().int().nonnegative(),
});

/** An /upload intent of the last minutes. */
const ExportedIntent = z.object({
  folder_id: Id.nullable(),
  folder_name: z.string().nullable(),
  lifetime_hours: z.number().nullable(),
  link_mode: LinkMode,
  /** Whom the card of a /share that waits for the folder's key is to let in, and where it is to be posted. */
  card: z
    .object({
      discord_id: z.string().nullable(),
      guild_id: z.string().nullable(),
      place: z.object({ guild_id: z.string(), channel_id: z.string() }).nullable(),
    })
    .nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
});

/** Who a card of /share lets into a folder: this person, members of this server, or everyone who clicks. */
const ExportedShare = z.object({
  discord_id: z.string().nullable(),
  guild_id: z.string().nullable(),
  created_at: Timestamp,
});

/** Another person's card that names the person whose data this is. */
const ExportedInvitation = ExportedShare.omit({ discord_id: true }).extend({ folder_slug: z.string() });

/** All stored data of a person, but nothing that opens anything: no key, token or hash. */
export const ProfileExport = z.object({
  exported_at: Timestamp,
  profile: Profile.extend({
    email: z.string().nullable(),
    upload_link_mode: NewLinkMode.nullable(),
    copies_link: z.boolean(),
  }),
  sessions: z.array(KeptSession),
  folders: z.array(Folder.extend({ shares: z.array(ExportedShare), files: z.array(ExportedFile) })),
  uploads: z.array(ExportedUpload),
  activity: z.array(ExportedVisit),
  upload_intents: z.array(ExportedIntent),
  invitations: z.array(ExportedInvitation),
});
export type ProfileExport = z.infer<typeof ProfileExport>;

// Keys: GET and POST /bot/{slug}/{api_token}

/** A private link's part of the key; `passphrase` says whether the link's secret alone opens it. */
export const PrivateKeyOutput = z.object({
  success: z.literal(true),
  sealed_key: SealedKey,
  key_share: Base64Url32,
  passphrase: z.boolean(),
});
export type PrivateKeyOutput = z.infer<typeof PrivateKeyOutput>;

/** A Discord link's key, and the folder's earlier keys if it has any (docs/container.md §6). */
export const DiscordKeyOutput = z.object({
  success: z.literal(true),
  encryption_key: EncryptionKey,
  earlier_keys: EarlierKeys.optional(),
});
export type DiscordKeyOutput = z.infer<typeof DiscordKeyOutput>;

/** Nothing is released before a POST proves the passphrase. */
export const PassphraseNeeded = z.object({ success: z.literal(true), passphrase: z.literal(true) });
export type PassphraseNeeded = z.infer<typeof PassphraseNeeded>;

/** The answer of GET. The order matters: a private key has all fields of PassphraseNeeded. */
export const KeyOutput = z.union([DiscordKeyOutput, PrivateKeyOutput, PassphraseNeeded]);
export type KeyOutput = z.infer<typeof KeyOutput>;

/** `proof` of docs/container.md §3, base64url. */
export const ProofInput = z.object({ proof: Base64Url32 });
export type ProofInput = z.infer<typeof ProofInput>;

export const KeyRefusal = z.object({ success: z.literal(false), error: z.string() });
export type KeyRefusal = z.infer<typeof KeyRefusal>;
/** 403: `tries_left` wrong tries are left this hour. */
export const WrongPassphrase = KeyRefusal.extend({ tries_left: z.number().int().nonnegative() });
export type WrongPassphrase = z.infer<typeof WrongPassphrase>;
/** 429: this hour's tries are used up, by any number of people. */
export const NoTriesLeft = WrongPassphrase.extend({ retry_after_seconds: z.number().int().positive() });
export type NoTriesLeft = z.infer<typeof NoTriesLeft>;

// Storage

export const ListInput = z.object({
  prefix: z.string().max(1024).default(''),
  limit: z.number().int().min(1).max(LIST_LIMIT_MAX).default(LIST_LIMIT),
  offset: z.number().int().min(0).default(0),
  sortBy: z
    .object({
      column: z.enum(['name', 'created_at', 'updated_at']).default('name'),
      order: z.enum(['asc', 'desc']).default('asc'),
    })
    .nullish(),
});
export const ListOutput = z.array(FileEntry);

export const SignInput = z.object({
  expiresIn: z.number().int().min(1).max(604_800).default(SIGNED_URL_SECONDS),
});
export const SignOutput = z.object({ signedURL: z.string() });

export const RemoveInput = z.object({ prefixes: z.array(z.string().max(1024)).min(1).max(1000) });

/**
 * PATCH /storage/v1/object/{bucket}: new labels for files of one folder (docs/container.md §2). Each names the label that
 * it is to take the place of; where that is no longer the file's, the file stays as it is and is not in the answer.
 */
export const RelabelInput = z.object({
  prefix: z.string().max(1024),
  labels: z
    .array(z.object({ name: WellFormedText.max(1024), sealed: BoundLabel, earlier: BoundLabel }))
    .min(1)
    .max(RELABEL_MAX),
});
export type RelabelInput = z.infer<typeof RelabelInput>;

/** POST /storage/v1/still/{bucket}: stills of one size, in the order of the names. The answer: wire/still-frames.ts. */
export const StillInput = z.object({
  prefix: z.string().max(1024),
  names: z.array(z.string().max(1024)).min(1).max(STILLS_READ_MAX),
  size: z.enum(['small', 'large']),
});
export type StillInput = z.infer<typeof StillInput>;
/** PUT /storage/v1/still/{bucket}/{storagePath}: the names whose stills were stored. */
export const StillsStored = z.object({ stored: z.array(z.string()) });
export type StillsStored = z.infer<typeof StillsStored>;
