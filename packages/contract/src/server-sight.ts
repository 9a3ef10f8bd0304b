import type { LinkMode } from './entities.ts';

/**
 * What the server can see of a folder (docs/container.md §2). The page names these facts, and a test of the server
 * compares them with the columns of its tables: a column without a fact or a reason fails it.
 */
export const SIGHT_FACTS = [
  /** The files' contents. */
  'contents',
  /** The folder's key, kept for people with the link. */
  'key',
  /** The files' number, sizes and times, including open uploads. */
  'file_figures',
  /** Which files have a still, so that they are pictures, films, PDFs or songs, and the stills' padded sizes. */
  'stills',
  /** The files' names and types. */
  'file_names',
  /** The folder's name and description, its settings, its beginning and its end. */
  'folder',
  /** That there is a passphrase, and failed tries. */
  'passphrase',
  /** The owner's account. */
  'owner',
  /** How many views and downloads there are. */
  'visits',
  /** Signed-in visitors, and all others under a pseudonym of the day. */
  'visitors',
  /** What people asked of the bot, and who gets in by it. */
  'discord',
  /** Reports. */
  'reports',
  /** What stays after the folder's deletion. */
  'afterwards',
] as const;
export type SightFact = (typeof SIGHT_FACTS)[number];

/** The parts of a folder that decide what the server sees. */
export interface SeenFolder {
  readonly link_mode: LinkMode;
  readonly hide_names: boolean;
}

const ALWAYS: readonly SightFact[] = [
  'file_figures',
  'stills',
  'folder',
  'owner',
  'visits',
  'visitors',
  'discord',
  'reports',
  'afterwards',
];

/** What the server sees of a folder now. It may have kept what it saw in an earlier mode. */
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
