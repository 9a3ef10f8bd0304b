/** Files that people choose, by the paths that they have below what was chosen, as `directory/inner/name`. */

const SYSTEM_FILES = /^(\.ds_store|\.localized|thumbs\.db|ehthumbs\.db|desktop\.ini|icon\r|\._.*)$/i;
const SYSTEM_DIRECTORIES = /^(__macosx|\.spotlight-v100|\.trashes|\.fseventsd|\.appledouble|\$recycle\.bin)$/i;

export const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

/** Only below a directory: such a file picked by itself is meant. */
export function isSystemFile(path: string): boolean {
  const segments = segmentsOf(path);
  const own = segments.pop() ?? '';
  return segments.length > 0 && (SYSTEM_FILES.test(own) || segments.some((name) => SYSTEM_DIRECTORIES.test(name)));
}

/**
 * The name of a file that lay in a directory, for a plain folder. That is flat, since the server names its files, so the
 * directories between stay readable in front: `day 1 - boat.jpg`. The outermost one says something only when there are
 * several.
 */
export function nameBelow(path: string, hasSeveralRoots: boolean): string {
  const segments = segmentsOf(path);
  return segments.slice(hasSeveralRoots || segments.length === 1 ? 0 : 1).join(' - ');
}

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

export function compareSegments(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((segment, place) => segment !== b[place]);
  const [one, other] = [a[at] ?? '', b[at] ?? ''];
  // Directories come first, as in the folder.
  const [isFile, isOtherFile] = [at === a.length - 1, at === b.length - 1];
  return Number(isFile) - Number(isOtherFile) || byName.compare(one, other) || (one < other ? -1 : 1);
}
