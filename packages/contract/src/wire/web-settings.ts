import { z } from 'zod';

/** The site's settings, at `/settings.json`: the page itself is the same for every site. */

/** Where the links at the foot of each page lead; null: there is no such link. */
const SiteLinks = z.object({
  source: z.string().nullable(),
  /** Null: the page of this site at `/docs`. */
  docs: z.string().nullable(),
  /** Null: the page of this site at `/privacy`. */
  privacy: z.string().nullable(),
  terms: z.string().nullable(),
  /** May be a mailto: address. */
  contact: z.string().nullable(),
  status: z.string().nullable(),
});
export type SiteLinks = z.infer<typeof SiteLinks>;

/** The server's settings that the web needs. Its texts and checks read these and assume nothing. */
export const WebSettings = z.object({
  max_file_bytes: z.number().int().positive(),
  free_storage_bytes: z.number().int().positive(),
  folder_lifetime_hours: z.number().positive(),
  max_folder_files: z.number().int().positive(),
  add_to_discord_url: z.string().nullable(),
  public_url: z.string(),
  /** Who may sign in. `members`: the members of certain Discord servers, and perhaps certain accounts. */
  admits: z.enum(['anyone', 'members', 'accounts']),
  /** Who runs the site; null: it says its address. */
  operator: z.string().nullable(),
  links: SiteLinks,
});
export type WebSettings = z.infer<typeof WebSettings>;
