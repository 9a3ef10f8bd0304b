import type { ReadText, TextWish } from '../read-text.ts';
import type { AudioTags } from './audio-tags.ts';
import type { CodeLine } from './highlight-code.ts';
import type { MarkdownDocument } from './markdown-tree.ts';
import type { DrawnPage, PdfFacts } from './pdf/pdf-document.ts';
import type { TextLines } from './text-lines.ts';
import type { ZipListing } from './zip-directory.ts';

/**
 * Messages of the content worker. The first brings a port on which the worker asks for bytes of the file, so that it has no
 * key and fetches nothing. Each order after that comes with a port for its answer.
 */

/** More of a table is not shown. */
export const TABLE_MAX_ROWS = 1000;
export const TABLE_MAX_COLUMNS = 100;

/** The beginning of a text, and how it was read. */
export interface ShownText extends TextLines, ReadText {}

export interface TextTable {
  /** Every row has as many cells as the longest. */
  readonly rows: readonly (readonly string[])[];
  /** Whether rows or columns beyond the bounds were left out. */
  readonly isCut: boolean;
}

export interface ContentAnswers {
  readonly text: ShownText;
  readonly markdown: MarkdownDocument;
  readonly code: readonly CodeLine[];
  readonly table: TextTable;
  readonly drawing: { readonly isHeavy: boolean };
  readonly zip: ZipListing;
  readonly tags: AudioTags;
  readonly pdf: PdfFacts;
  readonly page: DrawnPage;
}

export interface ContentOrders {
  /** @see textLines for isProgram */
  readonly text: TextWish & { readonly isProgram: boolean };
  readonly markdown: { readonly text: string };
  readonly code: { readonly text: string; readonly language: string };
  readonly table: { readonly text: string };
  /** The whole of it, which is not read by the file's port. */
  readonly drawing: { readonly blob: Blob };
  readonly zip: { readonly sizeBytes: number };
  readonly tags: { readonly sizeBytes: number };
  readonly pdf: { readonly sizeBytes: number };
  /** One page, from 1, and its width in pixels. */
  readonly page: { readonly sizeBytes: number; readonly number: number; readonly widthPx: number };
}

export type ContentOrderName = keyof ContentOrders;

/** The first message to a worker, with the file's port. */
export const FILE_PORT = 'file';

export interface ContentOrder<Name extends ContentOrderName = ContentOrderName> {
  readonly name: Name;
  readonly order: ContentOrders[Name];
}

/** Why a file is not shown: it is not what it says, or it asks for a password. */
export type ContentFault = 'unreadable' | 'locked';

/** From the worker, on an order's port. */
export type ContentReply =
  | { readonly type: 'done'; readonly answer: ContentAnswers[ContentOrderName] }
  | { readonly type: 'failed'; readonly fault: ContentFault };

/** From the worker, on the file's port. */
export interface BytesWanted {
  readonly id: number;
  readonly fromByte: number;
  readonly toByte: number;
}

/** To the worker, on the file's port: the bytes, or none where they could not be read. */
export interface BytesRead {
  readonly id: number;
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}
