import { z } from 'zod';
import { Id, Timestamp } from './entities.ts';

/** GET /rest/v1/uploads: one's own open uploads, the newest first. Without names, since names may be hidden. */
export const UploadsQuery = z.object({ owner: z.literal('me') });
export const OpenUpload = z.object({
  id: Id,
  folder_id: Id,
  folder_slug: z.string(),
  folder_name: z.string().nullable(),
  /** The stored file's size. */
  length_bytes: z.number().int().positive(),
  /** How many bytes have arrived. */
  offset_bytes: z.number().int().nonnegative(),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type OpenUpload = z.infer<typeof OpenUpload>;
export const OpenUploadList = z.array(OpenUpload);
export type OpenUploadList = z.infer<typeof OpenUploadList>;
