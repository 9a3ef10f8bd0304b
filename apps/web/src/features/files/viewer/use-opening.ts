import { useEffect } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { openingWay } from '../../../engine/files/opening-way.ts';

export interface OpeningHandlers {
  /** Opens a file of any size. */
  readonly onOpen: (id: string) => void;
  /** The file in the viewer, null once the viewer is closed, and the files to open ahead. */
  readonly onLook: (id: string | null, next: readonly string[]) => void;
  /** Keeps an opened file until the returned function is called. */
  readonly keepOpen: (id: string) => () => void;
}

/** The files before and after one, the first following the last. */
export function neighbours(files: readonly FileItem[], id: string): readonly string[] {
  const at = files.findIndex((file) => file.id === id);
  if (at < 0) return [];
  const after = files[(at + 1) % files.length]?.id;
  const before = files[(at + files.length - 1) % files.length]?.id;
  return [...new Set([after, before])].filter((other) => other !== undefined && other !== id) as string[];
}

/** Opens the file that the viewer has come to and, once that is open, its neighbours. */
export function useOpening(file: FileItem, files: readonly FileItem[], handlers: OpeningHandlers): void {
  const { onOpen, onLook, keepOpen } = handlers;
  const { id, name, type, opened, phase, error } = file;
  const isClosed = opened === null && phase === 'none' && error === null && openingWay(name, type) !== 'itself';
  const next = opened === null ? '' : neighbours(files, id).join(' ');
  useEffect(() => keepOpen(id), [keepOpen, id]);
  useEffect(() => onLook(id, next === '' ? [] : next.split(' ')), [onLook, id, next]);
  useEffect(() => {
    if (isClosed) onOpen(id);
  }, [isClosed, onOpen, id]);
  useEffect(() => () => onLook(null, []), [onLook]);
}
