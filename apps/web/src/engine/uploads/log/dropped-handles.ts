import type { DragData } from '../queue/drag-data.ts';

/** The handles of the files that were chosen on this page; the code that keeps them loads with the first upload. */

/** TypeScript's DOM library lacks it (File System Access). */
interface Picker {
  showOpenFilePicker?(options: { readonly multiple: true }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(): Promise<FileSystemDirectoryHandle>;
}

const given = new WeakMap<File, FileSystemFileHandle>();
export const handleOf = (file: File): FileSystemFileHandle | undefined => given.get(file);
export const rememberHandle = (file: File, handle: FileSystemFileHandle): void => void given.set(file, handle);

/** Remembers the handles of dropped files; files in directories have none here. */
export function rememberDropped({ files, handles }: Pick<DragData, 'files' | 'handles'>): void {
  if (handles.length !== files.length) return;
  for (const [place, handing] of handles.entries()) {
    const file = files[place];
    handing?.then(
      (handle) => file && handle?.kind === 'file' && rememberHandle(file, handle as FileSystemFileHandle),
      () => undefined,
    );
  }
}

/** On a phone, the dialog of a file input offers the camera and the pictures, too. */
const canPick = (picker: keyof Picker): boolean => picker in globalThis && !matchMedia('(pointer: coarse)').matches;
export const canPickHandles = (): boolean => canPick('showOpenFilePicker');
export const canPickDirectory = (): boolean => canPick('showDirectoryPicker');

const isCancelled = (error: unknown): boolean => (error as DOMException).name === 'AbortError';

/**
 * Files that the person picks, with their handles. Call it in a click.
 * @returns none when the person cancels; 'refused' where the browser allows only a file input
 */
export async function pickWithHandles(): Promise<readonly File[] | 'refused'> {
  try {
    const handles = (await (globalThis as Picker).showOpenFilePicker?.({ multiple: true })) ?? [];
    return await Promise.all(
      handles.map(async (handle) => {
        const file = await handle.getFile();
        rememberHandle(file, handle);
        return file;
      }),
    );
  } catch (error) {
    return isCancelled(error) ? [] : 'refused';
  }
}

/**
 * A directory that the person picks. Call it in a click.
 * @returns null when the person cancels; 'refused' where the browser allows only a file input
 */
export async function pickDirectory(): Promise<FileSystemDirectoryHandle | null | 'refused'> {
  try {
    return (await (globalThis as Picker).showDirectoryPicker?.()) ?? null;
  } catch (error) {
    return isCancelled(error) ? null : 'refused';
  }
}
