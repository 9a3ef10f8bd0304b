import { canOpen, type FileItem } from '../../engine/files/file-model.ts';

/** Whether these files fit into one zip. The zip skips files that can't be opened, and states their number. */
export function packing(files: readonly FileItem[], limitBytes: number | null) {
  const packable = files.filter(canOpen);
  const storedBytes = packable.reduce((sum, { entry }) => sum + entry.metadata.size, 0);
  const isTooLarge = limitBytes !== null && storedBytes > limitBytes;
  return { ids: files.map(({ id }) => id), packable, isEmpty: packable.length === 0, isTooLarge };
}
