import { compareSegments, isSystemFile, nameBelow, segmentsOf } from '@satchel/client/send/list/chosen-paths';
import { CHOSEN_FILES_MAX, type Choice, type ChosenFile, SMALL_FILE_BYTES } from '@satchel/client/send/order';
import { yieldToPage } from '../../../lib/browser/yield-to-page.ts';
import { rememberDropped, rememberHandle } from '../log/dropped-handles.ts';
import type { DragData } from './drag-data.ts';

/** Files as people choose them, however they do it: picked, dropped, pasted, by whole directories. */

/** A choice of these files, and nothing left out. */
export const choiceFrom = (files: readonly ChosenFile[]): Choice => ({
  files,
  leftOut: [],
  unreadable: [],
  isCut: false,
});

/** Files of one directory that are read at the same time. Each takes a way through several processes of the browser. */
const READ_AT_ONCE = 100;

/** A file with the directories that it lay in, as `directory/inner/name`. */
interface Found {
  readonly file: File;
  readonly path: string;
}

/** Whether the choice has files, or names to report. */
export const saysSomething = ({ files, leftOut, unreadable }: Choice): boolean =>
  files.length + leftOut.length + unreadable.length > 0;

/** Files that are handled before the page gets its turn: thousands of names are compared for seconds on a slow device. */
const FILES_A_TURN = 200;
/** A slow disk is asked for fewer of them. */
const TURN_MS = 30;

interface Parted {
  readonly one: Found;
  readonly segments: readonly string[];
}

async function merged(left: readonly Parted[], right: readonly Parted[]): Promise<readonly Parted[]> {
  const all: Parted[] = [];
  let [at, other] = [0, 0];
  for (let [a, b] = [left[at], right[other]]; a && b; [a, b] = [left[at], right[other]]) {
    const isLeft = compareSegments(a.segments, b.segments) <= 0;
    all.push(isLeft ? a : b);
    if (isLeft) at += 1;
    else other += 1;
    if (all.length % FILES_A_TURN === 0) await yieldToPage();
  }
  return [...all, ...left.slice(at), ...right.slice(other)];
}

/** Sorts few at once and merges them, with turns of the page between. */
async function sorted(parted: readonly Parted[]): Promise<readonly Parted[]> {
  if (parted.length <= FILES_A_TURN) {
    await yieldToPage();
    return [...parted].sort((a, b) => compareSegments(a.segments, b.segments));
  }
  const middle = parted.length >> 1;
  return merged(await sorted(parted.slice(0, middle)), await sorted(parted.slice(middle)));
}

/** A tree as a person reads it, since a system hands out a directory's files in any order. Loose files stay as they were chosen. */
async function inOrder(found: readonly Found[]): Promise<readonly Found[]> {
  if (!found.some(({ path }) => path.includes('/'))) return found;
  const parted = await sorted(found.map((one) => ({ one, segments: segmentsOf(one.path) })));
  return parted.map(({ one }) => one);
}

/** Handles files with turns of the page between. */
async function inTurns<One, Result>(all: readonly One[], handle: (one: One) => Result): Promise<Result[]> {
  const handled: Result[] = [];
  let sinceMs = performance.now();
  for (const one of all) {
    handled.push(handle(one));
    if (handled.length % FILES_A_TURN !== 0 && performance.now() - sinceMs < TURN_MS) continue;
    await yieldToPage();
    sinceMs = performance.now();
  }
  return handled;
}

async function choiceOf(found: readonly Found[], unreadable: readonly string[] = []): Promise<Choice> {
  const areSystems = await inTurns(found, (one) => {
    // Chromium asks the disk for a file's size when that is first read, while the page stands still.
    void one.file.size;
    return isSystemFile(one.path);
  });
  const wanted = await inOrder(found.filter((_, at) => !areSystems[at]));
  const roots = new Set(wanted.map(({ path }) => (path.includes('/') ? segmentsOf(path)[0] : '')));
  const files = await inTurns(wanted, ({ file, path }) => ({ file, path, name: nameBelow(path, roots.size > 1) }));
  const leftOut = found.filter((_, at) => areSystems[at]).map(({ path }) => segmentsOf(path).pop() ?? path);
  return { files, leftOut, unreadable, isCut: false };
}

/** Reading has ended where there were too many: nobody knows how many more there are. */
const cut = (choice: Choice): Choice =>
  choice.files.length > CHOSEN_FILES_MAX
    ? { ...choice, files: choice.files.slice(0, CHOSEN_FILES_MAX), isCut: true }
    : choice;

/** What was picked with a file input, one for directories, too. */
export const pickedFiles = (list: Iterable<File>): Promise<Choice> =>
  choiceOf([...list].map((file) => ({ file, path: file.webkitRelativePath || file.name })));

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

/** Where an entry's handle comes from: its own, or its directory's. */
interface Source {
  readonly own: Handle;
  readonly directory: Handle;
}

/** The entries of a drop read so far. */
interface Reading {
  readonly found: Found[];
  readonly unreadable: string[];
  /** How many of them are no system files: only these count, or a cut drop would look whole. */
  wanted: number;
}

/** How the browser finds an entry again, where it says so. */
type Handle = FileSystemHandle | null;

/** The handle of a file in a directory; none for a file too small to be resumed. */
async function handleBelow(directory: Handle, { name, isFile }: FileSystemEntry, file?: File): Promise<Handle> {
  if (directory?.kind !== 'directory' || (file && file.size <= SMALL_FILE_BYTES)) return null;
  const within = directory as FileSystemDirectoryHandle;
  return (isFile ? within.getFileHandle(name) : within.getDirectoryHandle(name)).catch(() => null);
}

async function collectFile(entry: FileSystemFileEntry, path: string, into: Reading, from: Source): Promise<void> {
  const one = { file: await readFile(entry), path };
  const handle = from.own ?? (await handleBelow(from.directory, entry, one.file));
  if (handle?.kind === 'file') rememberHandle(one.file, handle as FileSystemFileHandle);
  await note(one, into);
}

/** Takes a file that was read. However fast a system hands them out, the page gets its turns. */
async function note(one: Found, into: Reading): Promise<void> {
  into.found.push(one);
  if (!isSystemFile(one.path)) into.wanted += 1;
  if (into.found.length % FILES_A_TURN === 0) await yieldToPage();
}

async function collect(entry: FileSystemEntry, parent: string, into: Reading, from: Source): Promise<void> {
  if (into.wanted > CHOSEN_FILES_MAX) return;
  const path = parent + entry.name;
  try {
    if (entry.isFile) return await collectFile(entry as FileSystemFileEntry, path, into, from);
    const inner = await readEntries(entry as FileSystemDirectoryEntry);
    const directory = from.own ?? (await handleBelow(from.directory, entry));
    const reading: Promise<void>[] = [];
    for (const one of inner) {
      reading.push(collect(one, `${path}/`, into, { own: null, directory }));
      if (one.isDirectory || reading.length === READ_AT_ONCE) await Promise.all(reading.splice(0));
    }
    await Promise.all(reading);
  } catch {
    // The entry may have been deleted, or be unreadable for this person; the others are still read.
    into.unreadable.push(entry.name);
  }
}

/** The files of a drop. */
export async function droppedFiles({ entries, files, handles }: DragData): Promise<Choice> {
  rememberDropped({ files, handles });
  if (!entries.some((entry) => entry?.isDirectory)) return pickedFiles(files);
  const reading: Reading = { found: [], unreadable: [], wanted: 0 };
  for (const [place, entry] of entries.entries()) {
    const own = (await handles[place]?.catch(() => null)) ?? null;
    if (entry) await collect(entry, '', reading, { own, directory: null });
  }
  return cut(await choiceOf(reading.found, reading.unreadable));
}

/** TypeScript's DOM library of workers has it, the one of pages doesn't. */
type Listing = FileSystemDirectoryHandle & {
  values(): AsyncIterable<FileSystemFileHandle | FileSystemDirectoryHandle>;
};

async function collectBelow(directory: FileSystemDirectoryHandle, parent: string, into: Reading): Promise<void> {
  const path = `${parent}${directory.name}/`;
  try {
    for await (const handle of (directory as Listing).values()) {
      if (into.wanted > CHOSEN_FILES_MAX) return;
      if (handle.kind === 'directory') await collectBelow(handle, path, into);
      else await collectHandle(handle, path, into);
    }
  } catch {
    into.unreadable.push(directory.name);
  }
}

async function collectHandle(handle: FileSystemFileHandle, parent: string, into: Reading): Promise<void> {
  try {
    const one = { file: await handle.getFile(), path: parent + handle.name };
    if (one.file.size > SMALL_FILE_BYTES) rememberHandle(one.file, handle);
    await note(one, into);
  } catch {
    into.unreadable.push(handle.name);
  }
}

/** The files of a directory that was picked, with their handles. */
export async function directoryFiles(directory: FileSystemDirectoryHandle): Promise<Choice> {
  const reading: Reading = { found: [], unreadable: [], wanted: 0 };
  await collectBelow(directory, '', reading);
  return cut(await choiceOf(reading.found, reading.unreadable));
}

/** The name that browsers give to a clipboard picture without a file. */
const NAMELESS = /^(image|unknown|blob)?(\.[a-z0-9]+)?$/i;
const twoDigits = (value: number) => String(value).padStart(2, '0');

/** `2026-03-14 21.04.05`, by this device's clock: it sorts, and no file system minds it. */
function stampOf(moment: Date): string {
  const date = [moment.getFullYear(), twoDigits(moment.getMonth() + 1), twoDigits(moment.getDate())].join('-');
  const time = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(twoDigits).join('.');
  return `${date} ${time}`;
}

/**
 * The files of a paste. A screenshot comes as `image.png`, every time; it gets a name that says what it is.
 * @param pictureName makes the name of such a picture, without its extension
 */
export function pastedFiles(
  list: Iterable<File>,
  pictureName: (stamp: string) => string,
  now: Date = new Date(),
): Promise<Choice> {
  const files = [...list];
  const stamp = stampOf(now);
  let pictures = 0;
  const found = files.map((file) => {
    if (!file.type.startsWith('image/') || !NAMELESS.test(file.name)) return { file, path: file.name };
    pictures += 1;
    const extension = /\.([a-z0-9]+)$/i.exec(file.name)?.[1] ?? file.type.slice('image/'.length).replace(/\+.*/, '');
    const name = pictureName(pictures === 1 ? stamp : `${stamp} (${pictures})`);
    return { file, path: `${name}.${extension.toLowerCase()}` };
  });
  return choiceOf(found);
}
