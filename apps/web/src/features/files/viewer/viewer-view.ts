import { BYTES_TYPE } from '@satchel/client/open/render-type';
import { useState } from 'react';
import { type ContentKind, contentKind } from '../../../engine/files/content-kind.ts';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { useDrawing } from '../grid/use-drawing.ts';

type ShownFile = Pick<FileItem, 'name' | 'type' | 'opened' | 'sizeBytes'>;

/** Natural width and height, in pixels. */
export type MediaSize = readonly [widthPx: number, heightPx: number];

/** What the viewer shows of a file. A picture, film or sound without an address to show it from is its name alone, as is an empty file. */
export function viewOf({ name, type, opened, sizeBytes }: ShownFile): ContentKind {
  if (sizeBytes === 0) return 'default';
  const kind = contentKind(opened?.name ?? name, opened?.type ?? type);
  // A film with the ending of a program is opened as bytes.
  if (opened?.type === BYTES_TYPE && kind !== 'zip') return 'default';
  const needsAddress = kind === 'image' || kind === 'video' || kind === 'audio';
  return needsAddress && opened && opened.objectUrl === null ? 'default' : kind;
}

/** What the viewer shows now: a drawing is weighed first, and a heavy one is its text until a person asks for it. */
export type View = ContentKind | 'weighed' | 'heavy_drawing';

export function useView(file: FileItem): { readonly view: View; readonly onDraw: () => void } {
  const { opened } = file;
  const view = viewOf(file);
  const isDrawing = view === 'image' && opened?.type === 'image/svg+xml';
  const drawing = isDrawing && opened.objectUrl !== null ? { src: opened.objectUrl, blob: opened.blob } : null;
  const weight = useDrawing(drawing);
  const [asked, ask] = useState<string | null>(null);
  const src = drawing?.src ?? null;
  const onDraw = () => ask(src);
  if (src === null || asked === src || weight === 'light') return { view, onDraw };
  return { view: weight === 'heavy' ? 'heavy_drawing' : 'weighed', onDraw };
}
