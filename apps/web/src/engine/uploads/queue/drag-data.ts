/** The data of a drag, read during its event: the browser clears it afterwards. */
export interface DragData {
  /** Null for what is neither a file nor a directory, and where a browser doesn't tell them apart. */
  readonly entries: readonly (FileSystemEntry | null)[];
  readonly files: readonly File[];
  /** Of each item, where the browser gives some (File System Access). */
  readonly handles: readonly (Promise<FileSystemHandle | null> | undefined)[];
}

/** TypeScript's DOM library lacks it. */
type HandedItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** Must be called in the event itself. */
export const dragDataOf = ({ items, files }: DataTransfer): DragData => ({
  entries: [...items].map((item) => item.webkitGetAsEntry?.() ?? null),
  files: [...files],
  handles: [...items].map((item: HandedItem) => item.getAsFileSystemHandle?.()),
});
