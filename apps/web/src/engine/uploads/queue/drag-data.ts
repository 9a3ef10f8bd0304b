/** The data of a drag, read during its event: the browser clears it afterwards. */
export interface DragData {
  /** Null for what is neither a file nor a directory, and where a browser doesn't tell them apart. */
  readonly entries: readonly (FileSystemEntry | null)[];
  readonly files: readonly File[];
}

/** Must be called in the event itself. */
export const dragDataOf = ({ items, files }: DataTransfer): DragData => ({
  entries: [...items].map((item) => item.webkitGetAsEntry?.() ?? null),
  files: [...files],
});
