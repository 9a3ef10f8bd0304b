import { z } from 'zod';
import { Id, SubscriptionTier, Timestamp, WellFormedText } from './entities.ts';
import { OPERATOR_REASON_MAX, REPORT_NOTE_MAX } from './limits.ts';

/** Reports, and what the operators of a site do about them. */

/** The longest sealed_key: sixteen folder keys sealed to an operator's key (docs/abuse.md has the bytes). */
const SEALED_MAX_CHARACTERS = 1536;
/** At most this many operator keys are listed, the newest. */
const OPERATOR_KEYS_MAX = 20;

const Reason = WellFormedText.trim().max(OPERATOR_REASON_MAX).min(1);
const Base64Url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const DiscordId = z.string().regex(/^\d{1,20}$/);
const Count = z.number().int().nonnegative();
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const ReportReason = z.enum(['illegal', 'child_safety', 'malware', 'copyright', 'harassment', 'other']);
export type ReportReason = z.infer<typeof ReportReason>;

/** POST /abuse/v1/reports → 204, whether or not the folder exists. */
export const ReportInput = z.object({
  folder_slug: z.string().max(128),
  reason: ReportReason,
  note: WellFormedText.trim().max(REPORT_NOTE_MAX).nullish(),
  /** The folder's keys, sealed by the reporter's browser to each operator's key: the server can't read them. */
  sealed_keys: z
    .array(z.object({ operator_key_id: Id, sealed: Base64Url.max(SEALED_MAX_CHARACTERS) }))
    .max(OPERATOR_KEYS_MAX)
    .default([]),
});
export type ReportInput = z.input<typeof ReportInput>;

/** The raw public point of an ECDH P-256 key, 65 bytes as base64url. */
export const OperatorPublicKey = Base64Url.length(87);
/** GET /abuse/v1/operator_keys: the keys that a reporter may seal to. */
export const OperatorKeyList = z.array(z.object({ id: Id, public_key: OperatorPublicKey }));
export type OperatorKeyList = z.infer<typeof OperatorKeyList>;
/** POST /operator/v1/operator_keys → 201 { id }; DELETE /operator/v1/operator_keys/{id} → 204, one's own only. */
export const OperatorKeyInput = z.object({ public_key: OperatorPublicKey });
export const OperatorKeyOutput = z.object({ id: Id });

/** What an operator sees of a reported folder; null after its deletion. */
export const ReportedFolder = z.object({
  name: z.string().nullable(),
  description: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  link_mode: z.enum(['plain', 'private', 'discord', 'revoked']),
  size_bytes: z.number().int().nonnegative(),
  file_count: z.number().int().nonnegative(),
  owner_discord_id: z.string(),
  owner_username: z.string().nullable(),
  is_owner_banned: z.boolean(),
});
export type ReportedFolder = z.infer<typeof ReportedFolder>;

export const Report = z.object({
  id: Id,
  folder_slug: z.string(),
  reason: ReportReason,
  note: z.string().nullable(),
  sealed_keys: z.array(z.object({ operator_key_id: Id, sealed: z.string() })),
  created_at: Timestamp,
  closed_at: Timestamp.nullable(),
  outcome: z.enum(['dismissed', 'taken_down']).nullable(),
  folder: ReportedFolder.nullable(),
  taken_down_reason: z.string().nullable(),
});
export type Report = z.infer<typeof Report>;

/** GET /operator/v1/reports?state=&before=: the newest first, a page of at most 50; `before` is the last one's id. */
export const ReportsQuery = z.object({ state: z.enum(['open', 'closed']).default('open'), before: Id.optional() });
export const ReportList = z.object({ reports: z.array(Report), has_more: z.boolean() });
export type ReportList = z.infer<typeof ReportList>;

/** POST /operator/v1/takedowns → 204: deletes the folder at once; its slug answers 410 with the reason. */
export const TakedownInput = z.object({
  folder_slug: z.string().max(128),
  reason: Reason,
  /** Denies the hashes of its files' stored bytes, too. */
  deny_files: z.boolean().default(false),
});
export type TakedownInput = z.input<typeof TakedownInput>;

/** POST /operator/v1/bans → 204; DELETE /operator/v1/bans/{discord_id} → 204; GET ?before=&before_id= → BanList. */
export const BanInput = z.object({
  discord_id: DiscordId,
  reason: Reason,
  /** Takes down all folders of that person, too. */
  take_down_folders: z.boolean().default(false),
});
export type BanInput = z.input<typeof BanInput>;
/**
 * Which page of a list, the newest first, at most 50 rows. `before` and `before_id` are the time and the id of the
 * previous page's last row, which may have been deleted since.
 */
const pageOf = (BeforeId: z.ZodType<string>) =>
  z
    .object({ before: Timestamp.optional(), before_id: BeforeId.optional() })
    .refine(
      ({ before, before_id }) => (before === undefined) === (before_id === undefined),
      'before: only with its id',
    );
export const BansQuery = pageOf(DiscordId);
export const Ban = z.object({ discord_id: z.string(), reason: z.string(), created_at: Timestamp });
export type Ban = z.infer<typeof Ban>;
export const BanList = z.object({ bans: z.array(Ban), has_more: z.boolean() });
export type BanList = z.infer<typeof BanList>;

/**
 * POST /operator/v1/denied_blobs → 204; DELETE /operator/v1/denied_blobs/{sha256} → 204; GET ?before=&before_id= →
 * DeniedBlobList.
 */
export const DeniedBlobInput = z.object({ sha256: Sha256, size_bytes: z.number().int().positive(), reason: Reason });
export type DeniedBlobInput = z.infer<typeof DeniedBlobInput>;
export const DeniedBlobsQuery = pageOf(Sha256);
export const DeniedBlob = DeniedBlobInput.extend({ created_at: Timestamp });
export type DeniedBlob = z.infer<typeof DeniedBlob>;
export const DeniedBlobList = z.object({ denied_blobs: z.array(DeniedBlob), has_more: z.boolean() });
export type DeniedBlobList = z.infer<typeof DeniedBlobList>;

/** POST /operator/v1/tiers → 204: gives an account another tier (one of the site's settings). */
export const TierInput = z.object({ discord_id: DiscordId, subscription_tier: SubscriptionTier });
export type TierInput = z.infer<typeof TierInput>;

/** GET /operator/v1/site: what the site holds, and its limits; null for what has none. */
export const SiteStatus = z.object({
  profiles: Count,
  folders: Count,
  files: Count,
  /** What all accounts have used and reserved, and the most that they may (SITE_STORAGE_BYTES). */
  booked_bytes: Count,
  storage_bytes: Count.nullable(),
  open_uploads: Count,
  /** The disk of the node that answers, and what of it is kept free of uploads; null where that isn't known. */
  disk: z.object({ free_bytes: Count, size_bytes: Count, kept_free_bytes: Count }).nullable(),
  queued_blobs: Count,
  sweep_lag_seconds: z.number().nonnegative(),
  /** Who may sign in: how many Discord servers and accounts the settings name; both 0 when anyone may. */
  allowed_guilds: Count,
  allowed_accounts: Count,
  /** True when only people who have an account may sign in. */
  is_closed: z.boolean(),
});
export type SiteStatus = z.infer<typeof SiteStatus>;
/** PUT /operator/v1/site/closed → 204: pauses new accounts, or lets them in again. */
export const ClosedInput = z.object({ is_closed: z.boolean() });
export type ClosedInput = z.infer<typeof ClosedInput>;

/** An operator's act. The log of acts only grows. */
export const OperatorAct = z.object({
  id: Id,
  at: Timestamp,
  operator_discord_id: z.string(),
  act: z.enum([
    'dismiss',
    'take_down',
    'ban',
    'unban',
    'deny',
    'allow',
    'tier',
    'add_key',
    'remove_key',
    'close',
    'reopen',
  ]),
  target: z.string(),
  detail: z.string().nullable(),
});
export type OperatorAct = z.infer<typeof OperatorAct>;
/** GET /operator/v1/acts?before=: the newest first, a page of at most 50. */
export const ActsQuery = z.object({ before: Id.optional() });
export const ActList = z.object({ acts: z.array(OperatorAct), has_more: z.boolean() });
export type ActList = z.infer<typeof ActList>;
