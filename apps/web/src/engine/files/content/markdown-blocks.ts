import { BLOCK_MAX_CHARS, cutPlace } from './text-blocks.ts';

export type Inline =
  | string
  | { readonly tag: 'em' | 'strong' | 'del'; readonly children: readonly Inline[] }
  | { readonly tag: 'code' | 'picture'; readonly text: string }
  | { readonly tag: 'link'; readonly href: string; readonly children: readonly Inline[] }
  | { readonly tag: 'br' };

export interface MarkdownItem {
  /** Of a task; null for any other item. */
  readonly isDone: boolean | null;
  readonly blocks: readonly Block[];
}

export type Align = 'center' | 'left' | 'right' | null;

export type Block =
  | { readonly tag: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly tag: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly tag: 'code'; readonly text: string }
  | { readonly tag: 'quote'; readonly blocks: readonly Block[] }
  | { readonly tag: 'list'; readonly start: number | null; readonly items: readonly MarkdownItem[] }
  | {
      readonly tag: 'table';
      readonly align: readonly Align[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly tag: 'rule' };

/**
 * Cuts the blocks of a Markdown text into pieces, each of which a browser lays out in a moment. A browser lays out a paragraph, a list, a
 * table as one, on the page's own thread: 250,000 marks on one letter, long Thai, or letters of two directions stop a page for minutes,
 * and twenty pieces of the same text don't.
 */

/** A list, a table or a quote of more characters is several. */
export const PIECE_MAX_CHARS = 5 * BLOCK_MAX_CHARS;
/** A long text is cut finer than paragraphs are, so that it fills the one that it begins in. */
const TEXT_PIECE_CHARS = BLOCK_MAX_CHARS / 4;

/** All characters of a part, with the names of its parts. */
function charsOf(part: unknown): number {
  if (typeof part === 'string') return part.length;
  if (part === null || typeof part !== 'object') return 0;
  return Object.values(part).reduce((sum: number, value) => sum + charsOf(value), 0);
}

/** Parts in their order, in groups of a number of characters at most; a longer part is its own group. */
function grouped<T>(parts: readonly T[], maxChars: number): T[][] {
  const groups: T[][] = [];
  let left = 0;
  for (const part of parts) {
    const chars = charsOf(part);
    if (chars > left) {
      groups.push([]);
      left = maxChars;
    }
    groups.at(-1)?.push(part);
    left -= chars;
  }
  return groups;
}

/** The words of a paragraph's parts, without their look. */
export const plainOf = (parts: readonly Inline[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('children' in part) return plainOf(part.children);
      return 'text' in part ? part.text : ' ';
    })
    .join('');

function* textPieces(text: string): Generator<string> {
  for (let rest = text; rest !== ''; ) {
    const at = rest.length > TEXT_PIECE_CHARS ? cutPlace(rest, TEXT_PIECE_CHARS) : rest.length;
    yield rest.slice(0, at);
    rest = rest.slice(at);
  }
}

/** A part that is longer than a paragraph may be is its words. */
function inlinePieces(part: Inline): readonly Inline[] {
  if (charsOf(part) <= BLOCK_MAX_CHARS) return [part];
  const address = typeof part !== 'string' && part.tag === 'link' ? ` (${part.href})` : '';
  return [...textPieces(plainOf([part]) + address)];
}

/** The parts of a list, a quote or a table in groups, each of which fits into a piece with what every piece has. */
const groupedWithin = <T>(parts: readonly T[], everyPiece: unknown): T[][] =>
  grouped(parts, PIECE_MAX_CHARS - charsOf(everyPiece));

function cut(block: Block): readonly Block[] {
  switch (block.tag) {
    case 'heading':
    case 'paragraph':
      return grouped(block.children.flatMap(inlinePieces), BLOCK_MAX_CHARS).map((children) => ({ ...block, children }));
    case 'quote':
      return groupedWithin(block.blocks, block.tag).map((blocks) => ({ ...block, blocks }));
    case 'list': {
      let start = block.start;
      return groupedWithin(block.items, block.tag).map((items) => {
        const piece = { ...block, start, items };
        if (start !== null) start += items.length;
        return piece;
      });
    }
    case 'table':
      return groupedWithin(block.rows, { ...block, rows: [] }).map((rows) => ({ ...block, rows }));
    default:
      return [block];
  }
}

function isTooLong(block: Block): boolean {
  if (block.tag === 'code') return false;
  const cells = block.tag === 'table' ? [block.head, ...block.rows].flat() : [];
  return charsOf(block) > PIECE_MAX_CHARS || cells.some((cell) => charsOf(cell) > BLOCK_MAX_CHARS);
}

/**
 * A block, cut where it is too long to be laid out as one; joined, the pieces have the block's text.
 * @param raw its Markdown, which stands for a block that can't be cut: an item of a list, or a cell, that is too long by itself
 */
export function blockPieces(block: Block, raw: string): readonly Block[] {
  const pieces = charsOf(block) > BLOCK_MAX_CHARS ? cut(block) : [block];
  return pieces.length === 0 || pieces.some(isTooLong) ? [{ tag: 'code', text: raw }] : pieces;
}

export interface MarkdownSection {
  readonly blocks: readonly Block[];
  readonly chars: number;
}

/** Blocks in the groups that a page lays out as they come into view. */
export const sectionsOf = (blocks: readonly Block[]): readonly MarkdownSection[] =>
  grouped(blocks, BLOCK_MAX_CHARS).map((group) => ({ blocks: group, chars: charsOf(group) }));
