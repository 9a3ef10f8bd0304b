/**
 * The files that this page has uploaded, by what they are in their folder: stored name, and hash of the container that
 * was sealed from them. A listed file that proves to be that container needs no fetching (open/open-local.ts).
 */

/** Only what the browser says of each file is held, not its content. */
const DEFAULT_MAX_FILES = 2000;

/** A file as it was chosen, and whether its metadata was taken out on the way. */
export interface LocalFile {
  readonly file: File;
  readonly strips: boolean;
  /** A picture without a still, for it is as small as one. */
  readonly isSmall: boolean;
}

/** What a listing and its proof say of a file. */
export interface LocalRef {
  readonly entry: { readonly name: string };
  readonly proof: { readonly header: string };
}

export type LocalFiles = ReturnType<typeof createLocalFiles>;

export function createLocalFiles(maxFiles = DEFAULT_MAX_FILES) {
  const files = new Map<string, LocalFile>();
  const keyOf = ({ entry, proof }: LocalRef): string => JSON.stringify([entry.name, proof.header]);

  return {
    keep(ref: LocalRef, file: LocalFile): void {
      files.set(keyOf(ref), file);
      const [oldest] = files.keys();
      if (files.size > maxFiles && oldest !== undefined) files.delete(oldest);
    },
    get: (ref: LocalRef): LocalFile | null => files.get(keyOf(ref)) ?? null,
    forget: (ref: LocalRef): void => void files.delete(keyOf(ref)),
    clear: (): void => files.clear(),
  };
}

/** The page's own. */
export const localFiles = createLocalFiles();
