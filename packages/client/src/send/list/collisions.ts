import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { joinPath, numberedName, pathKey, splitPath } from '@satchel/contract/files/path-parts';
import { MIB } from '@satchel/contract/limits';
import type { ChosenFile } from '../order.ts';

/** Chosen files whose path a file of the folder has already: never two of one name without a word. */

/** A file of the folder, as far as a chosen one is compared with it. */
export interface ExistingFile {
  readonly entry: FileEntry;
  /** By the file's label; without a key by the stored name. */
  readonly name: string;
  readonly directory: string;
  readonly sizeBytes: number;
  readonly url: string;
  readonly proof: FileProof | null;
  /** Its content, where this device has it. */
  readonly opened: { readonly blob: Blob | null } | null;
  /** `none`: there is no key for it; `foreign`: the folder's keys don't vouch for it. */
  readonly badge: 'cached' | 'api' | 'none' | 'foreign' | null;
}

export interface Collision {
  /** With its path in the folder. */
  readonly chosen: ChosenFile;
  readonly existing: ExistingFile;
}

/** A larger file is not fetched for a comparison only: the person is asked, and told so. */
export const COMPARED_MAX_BYTES = 64 * MIB;

/** Of one size, and too large to be compared. */
export const isUncompared = ({ chosen: { file }, existing: { sizeBytes } }: Collision): boolean =>
  file.size === sizeBytes && file.size > COMPARED_MAX_BYTES;

export interface CollisionState {
  /** Being compared with the folder's files. */
  readonly comparing: number;
  /** Another content under the same path: the person decides. */
  readonly differing: readonly Collision[];
}

export const NO_COLLISIONS: CollisionState = { comparing: 0, differing: [] };

/** The person's answer for files that differ. */
export type CollisionAnswer = 'replace' | 'keep_both' | 'leave_out';

type Named = Pick<ChosenFile, 'name' | 'path'>;

/** What must be one file's alone: a plain folder has flat names, an encrypted one paths. */
export const nameKey = ({ name, path }: Named, isPlain: boolean): string => pathKey(isPlain ? name : path);
const existingKey = ({ directory, name }: ExistingFile): string => pathKey(joinPath(directory, name));

/** Only what is known by its own name: a file without a key, or not of this folder, has none. */
const isNamed = ({ badge }: ExistingFile): boolean => badge !== 'none' && badge !== 'foreign';

/** Parts chosen files, with their paths in the folder, into files with free paths and the others. */
export function partCollisions(
  files: readonly ChosenFile[],
  existing: readonly ExistingFile[],
  isPlain: boolean,
): { free: ChosenFile[]; colliding: Collision[] } {
  const known = new Map(existing.filter(isNamed).map((file) => [existingKey(file), file]));
  const free: ChosenFile[] = [];
  const colliding: Collision[] = [];
  for (const chosen of files) {
    const file = known.get(nameKey(chosen, isPlain));
    if (file) colliding.push({ chosen, existing: file });
    else free.push(chosen);
  }
  return { free, colliding };
}

/** The names of a folder's files, each as one that no other file may have. */
export const keysOf = (existing: readonly ExistingFile[]): Set<string> => new Set(existing.map(existingKey));

/** The same file under the first number that is free: `boat (2).jpg`. */
export function numbered<C extends Named>(chosen: C, isTaken: (key: string) => boolean, isPlain: boolean): C {
  const { directory, name } = splitPath(chosen.path);
  for (let number = 2; ; number += 1) {
    const next = isPlain
      ? { ...chosen, name: numberedName(chosen.name, number) }
      : { ...chosen, name: numberedName(name, number), path: joinPath(directory, numberedName(name, number)) };
    if (!isTaken(nameKey(next, isPlain))) return next;
  }
}

/**
 * The files to upload after an answer.
 * @param taken names that are another file's already, in the folder or on the list
 */
export function settle(
  collisions: readonly Collision[],
  answer: CollisionAnswer,
  taken: Iterable<string>,
  isPlain: boolean,
): ChosenFile[] {
  if (answer === 'leave_out') return [];
  if (answer === 'replace')
    return collisions.map(({ chosen, existing: { entry } }) => ({ ...chosen, replaces: entry.name }));
  const keys = new Set(taken);
  return collisions.map(({ chosen }) => {
    const next = numbered(chosen, (key) => keys.has(key), isPlain);
    keys.add(nameKey(next, isPlain));
    return next;
  });
}

export interface CollisionsDeps {
  readonly hasSameContent: (existing: ExistingFile, file: File, signal: AbortSignal) => Promise<boolean>;
  /** Files that the folder has already, with the same content: their paths. */
  readonly onThere: (paths: readonly string[]) => void;
  /** All are compared, and these differ. */
  readonly onDiffering: (count: number) => void;
  readonly onChange: () => void;
}

/** Compares colliding files one after the other, and keeps differing ones until the person decides. */
export function createCollisions({ hasSameContent, onThere, onDiffering, onChange }: CollisionsDeps) {
  let state = NO_COLLISIONS;
  let control = new AbortController();
  let queue: readonly Collision[] = [];
  let isRunning = false;
  const set = (next: CollisionState) => {
    state = next;
    onChange();
  };

  async function compare(): Promise<void> {
    const { signal } = control;
    isRunning = true;
    const there: string[] = [];
    for (let next = queue[0]; next; next = queue[0]) {
      const collision = next;
      const isSame = await hasSameContent(collision.existing, collision.chosen.file, signal);
      if (signal.aborted) return;
      queue = queue.slice(1);
      if (isSame) there.push(collision.chosen.path);
      const others = state.differing.filter(({ chosen }) => chosen.path !== collision.chosen.path);
      set({ comparing: queue.length, differing: isSame ? state.differing : [...others, collision] });
    }
    isRunning = false;
    if (there.length > 0) onThere(there);
    if (state.differing.length > 0) onDiffering(state.differing.length);
  }

  return {
    get: (): CollisionState => state,
    add(collisions: readonly Collision[]): void {
      if (collisions.length === 0) return;
      queue = [...queue, ...collisions];
      set({ ...state, comparing: queue.length });
      if (!isRunning) void compare();
    },
    /** Empties the question, and gives what was asked about. */
    take(): readonly Collision[] {
      const { differing } = state;
      set({ ...state, differing: [] });
      return differing;
    },
    stop(): void {
      control.abort();
      control = new AbortController();
      queue = [];
      isRunning = false;
      state = NO_COLLISIONS;
    },
  };
}
