import { z } from 'zod';
import { DEVICE_NAME_MAX, FOLDER_DESCRIPTION_MAX, FOLDER_NAME_MAX } from './limits.ts';
import { hasUnseen } from './unseen.ts';

/** The entities. Field names are the specification's, from SQL to React; timestamps travel as ISO 8601 in UTC. */

export const Timestamp = z.iso.datetime({ offset: true });
export const Id = z.uuid();

/** `plain`, or how an encrypted folder's link opens it. */
export const LinkMode = z.enum(['plain', 'private', 'discord', 'revoked']);
export type LinkMode = z.infer<typeof LinkMode>;
/** The modes that a new folder may have. */
export const NewLinkMode = LinkMode.exclude(['revoked']);
export type NewLinkMode = z.infer<typeof NewLinkMode>;

/** Who gets in. */
export const FolderAccess = z.enum(['link', 'restricted']);
export type FolderAccess = z.infer<typeof FolderAccess>;

export const SubscriptionTier = z.string().min(1);

/** What an account of one tier may do: stored bytes, plaintext bytes of one file, hours of a folder. */
export const TierLimits = z.object({
  storage_bytes: z.number().int().positive(),
  max_file_bytes: z.number().int().positive(),
  folder_lifetime_hours: z.number().positive(),
});
export type TierLimits = z.infer<typeof TierLimits>;

/** Text that a request brings. PostgreSQL refuses NUL, and half a surrogate pair is no character. */
export const WellFormedText = z
  .string()
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'has characters that no text has');

const text = (maxCharacters: number) =>
  WellFormedText.trim()
    .max(maxCharacters)
    .refine((value) => !hasUnseen(value), 'has characters that can’t be seen');
export const FolderName = text(FOLDER_NAME_MAX);
export const FolderDescription = text(FOLDER_DESCRIPTION_MAX);

/** What a device says of itself before anyone has signed in. The page shows it, so it is one line of visible text. */
export const DeviceName = text(DEVICE_NAME_MAX)
  .min(1)
  .refine((value) => !/\p{Cc}/u.test(value), 'has control characters');

export const SessionKind = z.enum(['browser', 'device']);
export type SessionKind = z.infer<typeof SessionKind>;

export const TempKeyInfo = z.object({ api_token: z.string(), expires_at: Timestamp, created_at: Timestamp });
export type TempKeyInfo = z.infer<typeof TempKeyInfo>;

export const Folder = z.object({
  id: Id,
  slug: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  bucket: z.string(),
  bucket_storage_path: z.string(),
  size_bytes: z.number().int().nonnegative(),
  file_count: z.number().int().nonnegative(),
  owner_profile_id: Id,
  link_mode: LinkMode,
  access: FolderAccess,
  hide_names: z.boolean(),
  /** Whether previews of a plain folder's link in a chat show its name. */
  show_name_in_previews: z.boolean(),
});
export type Folder = z.infer<typeof Folder>;

export const Profile = z.object({
  id: Id,
  name: z.string().nullable(),
  discord_global_name: z.string().nullable(),
  discord_username: z.string().nullable(),
  discord_discriminator: z.string().nullable(),
  discord_id: z.string(),
  discord_public_flags: z.number().int(),
  avatar_url: z.string().nullable(),
  banner_url: z.string().nullable(),
  accent_color: z.number().int().nullable(),
  provider: z.literal('discord'),
  subscription_tier: SubscriptionTier,
  created_at: Timestamp,
  used_bytes: z.number().int().nonnegative(),
  reserved_bytes: z.number().int().nonnegative(),
});
export type Profile = z.infer<typeof Profile>;

/** The signed-in person. `email` is null when Discord has none. */
export const User = z.object({
  id: Id,
  email: z.string().nullable(),
  created_at: Timestamp,
  user_metadata: z.object({ full_name: z.string().nullable(), avatar_url: z.string().nullable() }),
});
export type User = z.infer<typeof User>;

/** One entry of a listing (§3 "File entry"). `sealed` is the file's label, `still` says that it has one (docs/container.md §6). */
export const FileEntry = z.object({
  id: Id,
  name: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  metadata: z.object({
    size: z.number().int().nonnegative(),
    mimetype: z.string(),
    eTag: z.string(),
    sealed: z.string().optional(),
    still: z.literal(true).optional(),
  }),
});
export type FileEntry = z.infer<typeof FileEntry>;
