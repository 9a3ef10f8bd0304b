/** What an open page is told of its folders: that something changed, and never what (docs/decisions/027). */

/** By itself and not in PATHS: no page needs it before it is shown. */
export const CHANGES_PATH = '/rest/v1/changes';

/** The most folders that one connection follows, for all tabs of a browser. */
export const FOLLOWED_MAX = 32;
/** A stream says nothing for no longer than this: proxies close a connection that is silent for a minute. */
export const STREAM_BEAT_SECONDS = 20;
/** Each node gathers changes for so long and tells of them as one; the one after another node's. */
export const CHANGES_GATHER_MS = 200;
/** Changes that lie longer ago than this are as old as this. */
export const CHANGE_AGE_MAX_MS = 600_000;

export interface FolderChange {
  readonly slug: string;
  /** Another one than before says: look again. Null: the reader may no longer see the folder, or it is not there. */
  readonly version: string | null;
  /** How long ago its last change was, as far as this server knows: the page may have looked before. */
  readonly age_ms: number;
}
