import type { FileItem } from './file-model.ts';

/** Width and height of what is shown, in its own pixels. */
export type MediaSize = readonly [widthPx: number, heightPx: number];

export type View = 'image' | 'video' | 'audio' | 'text' | 'pdf' | 'default';

/** How an opened file is shown: by its safe render type alone, never by what its name claims (CONTAINER §1). */
export function viewOf({ opened }: Pick<FileItem, 'opened'>): View {
  if (!opened) return 'default';
  const { type, blob, objectUrl } = opened;
  if (type === 'application/pdf') return 'pdf';
  if (type === 'text/plain') return blob === null ? 'default' : 'text';
  const [family] = type.split('/');
  if (objectUrl === null) return 'default';
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'default';
}
