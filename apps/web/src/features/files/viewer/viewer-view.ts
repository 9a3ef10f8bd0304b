import type { FileItem } from '../../../engine/files/file-model.ts';

/** Natural width and height, in pixels. */
export type MediaSize = readonly [widthPx: number, heightPx: number];

export type View = 'image' | 'video' | 'audio' | 'text' | 'pdf' | 'default';

/** How an opened file is shown: only its safe render type decides, never the type its name claims (CONTAINER §1). */
export function viewOf({ opened }: Pick<FileItem, 'opened'>): View {
  if (!opened) return 'default';
  const { type, blob, objectUrl } = opened;
  if (type === 'application/pdf') return 'pdf';
  if (type === 'text/plain') return blob === null ? 'default' : 'text';
  const [family] = type.split('/');
  if (objectUrl === null) return 'default';
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'default';
}
