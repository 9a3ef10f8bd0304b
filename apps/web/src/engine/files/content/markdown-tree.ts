import { Lexer, type MarkedToken, type Token } from 'marked';
import { type Block, blockPieces, type Inline, type MarkdownSection, sectionsOf } from './markdown-blocks.ts';

/**
 * What a Markdown text says, as plain data: paragraphs, headings, lists, tables. Markup in it stays text, a picture is its
 * description, and only addresses of the web and of mail are links. Nothing here is HTML at any time.
 */

export interface MarkdownDocument {
  readonly sections: readonly MarkdownSection[];
  /** Whether it has more parts than are shown. */
  readonly isCut: boolean;
}

/** Each part becomes an element of the page, and more of them at once would stop it. */
export const PARTS_MAX = 6000;
/** What is nested deeper is shown as text. */
export const DEPTH_MAX = 24;

const WEB = /^https?:\/\//i;
const MAIL = /^mailto:[^\s@]+@[^\s@]+$/i;

/** An address that a link may lead to; null for scripts, data, files, and what is relative to this page. */
export function linkAddress(href: string): string | null {
  // Browsers skip controls and blanks in a scheme: what has one is no link.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f\u2028\u2029]/.test(href)) return null;
  if (MAIL.test(href)) return href;
  return WEB.test(href) && URL.canParse(href) ? new URL(href).href : null;
}

/** Entities that a lexer without a renderer leaves as they are. */
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,6}));/g, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? all) : all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
}

class TooMany extends Error {}

/** Turns tokens into parts, up to the bounds. */
class Builder {
  #left = PARTS_MAX;

  #count(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TooMany();
  }

  #inline(token: Token, depth: number): Inline[] {
    this.#count();
    const known = token as MarkedToken;
    if (depth > DEPTH_MAX) return [token.raw];
    switch (known.type) {
      case 'em':
      case 'strong':
      case 'del':
        return [{ tag: known.type, children: this.#inlines(known.tokens, depth + 1) }];
      case 'codespan':
        return [{ tag: 'code', text: known.text }];
      case 'br':
        return [{ tag: 'br' }];
      case 'image':
        return [{ tag: 'picture', text: decodeEntities(known.text) }];
      case 'link': {
        const href = linkAddress(known.autolink ? known.href : decodeEntities(known.href));
        const children = this.#inlines(known.tokens, depth + 1);
        if (href !== null) return [{ tag: 'link', href, children }];
        // An address that is no link is shown beside its text, unless it is that: it would be lost with it.
        return known.text === known.href ? children : [...children, ` (${known.href})`];
      }
      case 'text':
        return known.tokens ? this.#inlines(known.tokens, depth + 1) : [decodeEntities(known.text)];
      case 'escape':
        return [known.text];
      case 'checkbox':
        return [];
      default:
        return [token.raw];
    }
  }

  #inlines(tokens: readonly Token[], depth: number): Inline[] {
    return tokens.flatMap((token) => this.#inline(token, depth));
  }

  /** What a token is; null for what is not shown. */
  #block(token: Token, depth: number): Block | null {
    this.#count();
    const known = token as MarkedToken;
    if (depth > DEPTH_MAX) return { tag: 'code', text: token.raw };
    switch (known.type) {
      case 'space':
      case 'def':
      case 'checkbox':
        return null;
      case 'heading':
        return { tag: 'heading', level: known.depth, children: this.#inlines(known.tokens, depth + 1) };
      case 'paragraph':
        return { tag: 'paragraph', children: this.#inlines(known.tokens, depth + 1) };
      case 'text':
        return { tag: 'paragraph', children: this.#inlines([token], depth + 1) };
      case 'code':
        return { tag: 'code', text: known.text };
      case 'hr':
        return { tag: 'rule' };
      case 'blockquote':
        return { tag: 'quote', blocks: this.#blocks(known.tokens, depth + 1) };
      case 'list': {
        const items = known.items.map((item) => ({
          isDone: item.task ? item.checked === true : null,
          blocks: this.#blocks(item.tokens, depth + 1),
        }));
        return { tag: 'list', start: known.ordered ? Number(known.start) || 0 : null, items };
      }
      case 'table': {
        const cell = ({ tokens }: { tokens: readonly Token[] }) => this.#inlines(tokens, depth + 1);
        const rows = known.rows.map((row) => row.map(cell));
        return { tag: 'table', align: known.align, head: known.header.map(cell), rows };
      }
      // HTML above all: it is shown as it stands.
      default:
        return { tag: 'code', text: token.raw.trimEnd() };
    }
  }

  #blocks(tokens: readonly Token[], depth: number): Block[] {
    return tokens.flatMap((token) => this.#pieces(token, depth));
  }

  #pieces(token: Token, depth: number): readonly Block[] {
    const block = this.#block(token, depth);
    return block ? blockPieces(block, token.raw) : [];
  }

  /** Whole blocks from the beginning, as far as the bounds allow. */
  document(tokens: readonly Token[]): MarkdownDocument {
    const blocks: Block[] = [];
    try {
      for (const token of tokens) blocks.push(...this.#pieces(token, 0));
      return { sections: sectionsOf(blocks), isCut: false };
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return { sections: sectionsOf(blocks), isCut: true };
    }
  }
}

/**
 * Reads a Markdown text (CommonMark with GitHub's tables, tasks and deletions).
 * @throws RangeError for a text nested deeper than the stack
 */
export const readMarkdown = (text: string): MarkdownDocument =>
  new Builder().document(new Lexer({ gfm: true }).lex(text));
