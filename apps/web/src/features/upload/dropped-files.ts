/** Reads what was dropped, folders too. */

/** A folder may hold any number of files; more than this at once would hang the page that lists them. */
export const DROPPED_FILES_MAX = 5000;

async function readEntries(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  // A browser hands out a hundred at a time, and an empty batch at the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}

const readFile = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

async function collect(entry: FileSystemEntry, into: File[]): Promise<void> {
  if (into.length > DROPPED_FILES_MAX) return;
  if (entry.isFile) {
    into.push(await readFile(entry as FileSystemFileEntry));
    return;
  }
  for (const inner of await readEntries(entry as FileSystemDirectoryEntry)) await collect(inner, into);
}

export interface DroppedFiles {
  readonly files: File[];
  /** There are more than these: the others were left out. */
  readonly isCut: boolean;
}

const upToMax = (files: File[]): DroppedFiles => ({
  files: files.slice(0, DROPPED_FILES_MAX),
  isCut: files.length > DROPPED_FILES_MAX,
});

/** The files of a drop or paste. Must be called in the event itself: its data is gone afterwards. */
export async function filesOf(transfer: DataTransfer): Promise<DroppedFiles> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...transfer.files];
  if (!entries.some((entry) => entry?.isDirectory)) return { files: plain, isCut: false };
  const files: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, files);
  return upToMax(files);
}
