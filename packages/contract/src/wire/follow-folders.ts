import { z } from 'zod';
import { SLUG_PATTERN } from '../naming.ts';
import { FOLLOWED_MAX } from './folder-changes.ts';

/** POST /rest/v1/changes: the folders whose pages are open in a browser (docs/decisions/027). */
export const FollowFoldersInput = z.object({ slugs: z.array(z.string().regex(SLUG_PATTERN)).min(1).max(FOLLOWED_MAX) });
export type FollowFoldersInput = z.infer<typeof FollowFoldersInput>;
/** One row for each slug, in the same order: a FolderChange. */
export const FollowFoldersOutput = z.object({
  folders: z.array(z.object({ slug: z.string(), version: z.string().nullable(), age_ms: z.number() })),
});
