import type { LinkMode } from './entities.ts';

/**
 * What the server can see of a folder (DESIGN R1, CONTAINER §2). The page says it in these facts, and a test of the server
 * holds them to the columns of its tables: a column that no fact or reason describes fails it.
 */
export const SIGHT_FACTS = [
  /** What is inside the files. */
  'contents',
  /** The folder's key, held for whoever has the link. */
  'key',
  /** How many files there are, how big, and since when; uploads that are not finished, too. */
  'file_figures',
  /** What the files are called, and of which type they are. */
  'file_names',
  /** The folder's own name and description, its settings, its beginning and its end. */
  'folder',
  /** That there is a passphrase, and that it was tried in vain. */
  'passphrase',
  /** The owner's account. */
  'owner',
  /** How often the folder is looked at and downloaded from. */
  'visits',
  /** Who was signed in, and everyone else under a pseudonym of the day. */
  'visitors',
  /** What was asked of the bot, and whom it lets in. */
  'discord',
  /** What people report. */
  'reports',
  /** What stays when the folder is gone. */
  'afterwards',
] as const;
export type SightFact = (typeof SIGHT_FACTS)[number];

/** As much of a folder as decides what the server sees. */
export interface SeenFolder {
  readonly link_mode: LinkMode;
  readonly hide_names: boolean;
}

const ALWAYS: readonly SightFact[] = [
  'file_figures',
  'folder',
  'owner',
  'visits',
  'visitors',
  'discord',
  'reports',
  'afterwards',
];

/** What the server sees of a folder now. What it saw in another mode before, it may have kept. */
export function factsSeen({ link_mode: mode, hide_names: hidesNames }: SeenFolder): ReadonlySet<SightFact> {
  const isReadable = mode === 'plain' || mode === 'discord';
  return new Set<SightFact>([
    ...ALWAYS,
    ...(isReadable ? (['contents'] as const) : []),
    ...(mode === 'discord' ? (['key'] as const) : []),
    ...(isReadable || !hidesNames ? (['file_names'] as const) : []),
    ...(mode === 'private' ? (['passphrase'] as const) : []),
  ]);
}
