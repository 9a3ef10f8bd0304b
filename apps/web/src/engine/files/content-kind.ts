import { renderType } from './render-type.ts';

/** What the viewer shows of a file. 'default' is what no browser shows: its name, size and type. */
export type ContentKind = 'image' | 'video' | 'audio' | 'text' | 'pdf' | 'default';

/**
 * The kind of content, by the file's safe render type; never by what its own name or type alone claim (CONTAINER §1).
 * @param type the MIME type that its sealer gave, or the render type of the opened file: both have the same answer
 */
export function contentKind(name: string, type: string): ContentKind {
  const safe = renderType(name, type);
  if (safe === 'application/pdf') return 'pdf';
  if (safe === 'text/plain') return 'text';
  const [family] = safe.split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'default';
}
