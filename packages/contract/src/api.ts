import { z } from 'zod';
import {
  FileEntry,
  Folder,
  FolderAccess,
  FolderDescription,
  FolderName,
  Id,
  LinkMode,
  Profile,
  TempKeyInfo,
  Timestamp,
  User,
} from './entities.ts';
import { LIST_LIMIT, LIST_LIMIT_MAX, SIGNED_URL_SECONDS } from './limits.ts';
import { SLUG_PATTERN } from './naming.ts';

/** The HTTP surface of DESIGN §5: the shapes of what goes in and comes out. */

export { NONCE_META, PATHS, SETTINGS_META } from './paths.ts';

/** 32 bytes as base64url without padding. */
export const Base64Url32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
/** nonce12 | AES-256-GCM(64 bytes) as base64url (CONTAINER §3): 92 bytes. */
export const SealedKey = z.string().regex(/^[A-Za-z0-9_-]{123}$/);

// Auth

export const Session = z.object({
  session: z.object({ access_token: z.string(), expires_at: Timestamp, user: User }).nullable(),
});
export type Session = z.infer<typeof Session>;

// Procedures: POST /rest/v1/rpc/{name}

/** An expired folder says its slug and date and nothing else. */
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
  /** The database's clock, so that a countdown is right on a device whose clock is not. */
  server_time: Timestamp,
});
export type FolderCompleteData = z.infer<typeof FolderCompleteData>;

export const FolderCompleteInput = z.object({
  input_folder_slug: z.string().max(128),
  requesting_user_id: Id.nullish(),
});

/** Fields of a later version (DESIGN §5): dropped silently, a folder would be less protected than its maker asked for. */
const NOT_OFFERED = { error: 'is not offered by this version' };

export const CreateFolderInput = z
  .object({
    folder_name: FolderName.nullish(),
    folder_slug: z.string().regex(SLUG_PATTERN).nullish(),
    folder_description: FolderDescription.nullish(),
    owner_id: Id.nullish(),
    bucket_name: z.string().nullish(),
    sealed_key: SealedKey.nullish(),
    key_share: Base64Url32.nullish(),
    expires_in_hours: z.number().positive().nullish(),
    hide_names: z.boolean().default(true),
    encryption_key: z.null(NOT_OFFERED).optional(),
    passphrase: z.literal(false, NOT_OFFERED).nullish(),
    proof_hash: z.null(NOT_OFFERED).optional(),
  })
  .refine((input) => (input.sealed_key == null) === (input.key_share == null), {
    message: 'sealed_key and key_share belong together',
  });
export type CreateFolderInput = z.input<typeof CreateFolderInput>;

export const CreateFolderOutput = z.object({ folder: Folder, temp_key_info: TempKeyInfo.nullable() });
export type CreateFolderOutput = z.infer<typeof CreateFolderOutput>;

export const UpdateFolderInput = z.object({
  folder_id: Id,
  new_name: FolderName.nullish(),
  new_description: FolderDescription.nullish(),
  new_expires_at: Timestamp.optional(),
  new_hide_names: z.boolean().optional(),
  new_access: z.literal('link', NOT_OFFERED).nullish(),
});
export type UpdateFolderInput = z.infer<typeof UpdateFolderInput>;
export const UpdateFolderOutput = z.object({ folder: Folder });

export const DeleteFolderInput = z.object({ folder_id: Id, requesting_user_id: Id.nullish() });
export const RevokeKeyInput = z.object({ folder_id: Id });

// Reads

export const FoldersQuery = z.object({ owner: z.literal('me') });
export const FolderList = z.array(Folder);
export const ProfileOutput = Profile;

// Keys: GET /bot/{slug}/{api_token}

export const PrivateKeyOutput = z.object({
  success: z.literal(true),
  sealed_key: SealedKey,
  key_share: Base64Url32,
  passphrase: z.literal(false),
});
export type PrivateKeyOutput = z.infer<typeof PrivateKeyOutput>;
export const KeyRefusal = z.object({ success: z.literal(false), error: z.string() });

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

// The page's settings, in <meta name="satchel-settings">

/** What the web needs to know of the server's settings: texts and checks read these and assume nothing. */
export const WebSettings = z.object({
  max_file_bytes: z.number().int().positive(),
  free_storage_bytes: z.number().int().positive(),
  folder_lifetime_hours: z.number().positive(),
  add_to_discord_url: z.string().nullable(),
  public_url: z.string(),
});
export type WebSettings = z.infer<typeof WebSettings>;
