import { BYTES_TYPE, renderType } from '@satchel/client/open/render-type';
import { extensionOf } from '@satchel/contract/naming';
import { codeLanguage } from './content/code-language.ts';
import { showsAvif } from './content/decodes-picture.ts';

/**
 * What the viewer shows of a file. 'rare_picture' is a picture that not every browser decodes: HEIC, and AVIF where this browser
 * doesn't. 'default' is what no browser shows: its name, size and type.
 */
export type ContentKind =
  | 'image'
  | 'video'
  | 'audio'
  | 'rare_picture'
  | 'text'
  | 'markdown'
  | 'table'
  | 'code'
  | 'pdf'
  | 'zip'
  | 'default';

/** A text is a text under any name; the name only chooses the layout. */
function textKind(name: string): ContentKind {
  const extension = extensionOf(name);
  if (extension === 'md' || extension === 'markdown') return 'markdown';
  if (extension === 'csv' || extension === 'tsv') return 'table';
  return codeLanguage(name) === null ? 'text' : 'code';
}

/**
 * The kind of content, by the file's safe render type; never by what its own name or type alone claim (docs/container.md §1).
 * @param type the MIME type that its sealer gave, or the render type of the opened file: both have the same answer
 */
export function contentKind(name: string, type: string): ContentKind {
  const safe = renderType(name, type);
  if (safe === 'application/pdf') return 'pdf';
  if (safe === 'text/plain') return textKind(name);
  if (safe === 'image/heic' || (safe === 'image/avif' && !showsAvif())) return 'rare_picture';
  // Nothing of a zip is shown but its list of names.
  if (safe === BYTES_TYPE) return extensionOf(name) === 'zip' ? 'zip' : 'default';
  const [family] = safe.split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'default';
}
