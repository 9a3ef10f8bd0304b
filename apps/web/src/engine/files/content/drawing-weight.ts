import { Parser } from 'htmlparser2';

/**
 * Weighs a drawing (SVG) before a browser draws it: browsers do that on the page's own thread, and a kilobyte of it can stop a page for
 * minutes. The weight is in parts; one part is about what one simple shape takes.
 */

/** The number of parts that a slow laptop draws in 200 ms. */
const PARTS_MAX = 4000;
/** Characters of a path, of text, and of the whole file that take as long as one shape. */
const PATH_CHARS = 50;
const TEXT_CHARS = 50;
const FILE_CHARS = 1000;
/** The longer a text, the longer each letter of it takes: letters of two directions are put in order together. */
const TEXT_SQUARE_CHARS = 200;
/** Comparisons of one rule of a style with one shape. */
const RULE_MATCHES = 200;
/** The same for a rule that compares the shapes with each other. */
const RULE_COMPARISONS = 10_000;
const COMPARING = /:has\(|~(?!=)/g;
/** Pieces of a dashed line, and tiles of a pattern, that take as long as one shape. */
const DASHES = 500;
const TILES = 200;
/** A drawing is about this wide and high, in its own units. */
const SIDE = 1000;
const FILTER_PARTS = 100;
/** What moves is drawn again and again. */
const MOVING_TIMES = 5;
/** The fewest characters of a path or list of points that are one point. */
const POINT_CHARS = 3;

interface Reference {
  readonly id: string;
  readonly times: number;
}

/** An element with an id, and all that is in it. */
interface Group {
  parts: number;
  readonly references: Reference[];
}

/** Drawings and styles inside a drawing, which are not parsed here. */
const WITHIN = /data:(image\/svg|text\/css)|@import/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out of addresses
const LEFT_OUT = /[\u0000-\u0020]/g;
/** A backslash writes any letter of a style in another way. */
const holdsAnother = (text: string): boolean => text.includes('\\') || WITHIN.test(text.replace(LEFT_OUT, ''));

const NUMBERS = /\d*\.?\d+(?:e[-+]?\d+)?/gi;
const numbersIn = (text = ''): number[] => Array.from(text.match(NUMBERS) ?? [], Number);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

/** What of an element's attributes says how long its outline is at most. */
const OUTLINE = ['d', 'points', 'x1', 'x2', 'y1', 'y2', 'width', 'height', 'r', 'rx', 'ry'] as const;

/** How often a pattern is drawn side by side, at most. */
function tilesOf(pattern: Readonly<Record<string, string>>): number {
  const scale = Math.min(1, ...numbersIn(pattern.patternTransform).filter((number) => number > 0));
  const side = pattern.patternUnits === 'userSpaceOnUse' ? SIDE : 1;
  const along = (length = '') => {
    const [number = 0] = numbersIn(length);
    return number > 0 ? side / (scale * number * (length.includes('%') ? 0.01 : 1)) : 0;
  };
  return along(pattern.width) * along(pattern.height);
}

const URL_REFERENCES = /url\(\s*['"]?#([^'")\s]+)/g;
const urlReferences = (text: string): string[] => [...text.matchAll(URL_REFERENCES)].map(([, id = '']) => id);

/** Counts the parts of a drawing while it is parsed. */
class Weight {
  readonly #all: Group = { parts: 0, references: [] };
  readonly #groups = new Map<string, Group>();
  /** The elements that the parser is in. */
  readonly #open: { readonly group: Group | null; readonly text: { chars: number } | null }[] = [];
  #style = '';
  #isMoving = false;
  /** Of all outlines together. */
  #length = 0;
  /** The shortest of all dashes with the gap behind it. */
  #dash = Number.POSITIVE_INFINITY;

  #add(parts: number, references: readonly Reference[] = []): void {
    for (const group of [this.#all, ...this.#open.map((element) => element.group)]) {
      if (!group) continue;
      group.parts += parts;
      group.references.push(...references);
    }
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { id, d = '', points = '', href = attributes['xlink:href'] } = attributes;
    const group: Group | null = id === undefined ? null : { parts: 0, references: [] };
    // Of two elements with one id, a browser takes the first.
    if (id !== undefined && group && !this.#groups.has(id)) this.#groups.set(id, group);
    // Elsewhere a text is a note, a style or a program's own data.
    const text = this.#open.at(-1)?.text ?? (/^(text|foreignObject)$/.test(name) ? { chars: 0 } : null);
    this.#open.push({ group, text });
    if (/^(animate|set$)/.test(name)) this.#isMoving = true;
    const pathChars = d.length + points.length;
    const references = Object.entries(attributes).flatMap(([key, value]) => {
      const times = /marker/.test(key + value) ? Math.max(1, pathChars / POINT_CHARS) : 1;
      return urlReferences(value).map((reference) => ({ id: reference, times }));
    });
    if (href?.startsWith('#')) references.push({ id: href.slice(1), times: 1 });
    const isFilter = name === 'filter' || name.startsWith('fe');
    this.#add(1 + pathChars / PATH_CHARS + (isFilter ? FILTER_PARTS : 0), references);
    if (name === 'pattern') this.#add(tilesOf(attributes) / TILES);
    this.#length += sum(OUTLINE.flatMap((key) => numbersIn(attributes[key])));
    // Names with a colon are the data of a program.
    for (const [key, value] of Object.entries(attributes)) if (!/^(?!xlink:).*:/.test(key)) this.style(value);
    this.#dashed(attributes['stroke-dasharray']);
  }

  close(): void {
    const text = this.#open.at(-1)?.text;
    if (text && text !== this.#open.at(-2)?.text) {
      this.#add(text.chars / TEXT_CHARS + (text.chars / TEXT_SQUARE_CHARS) ** 2);
    }
    this.#open.pop();
  }

  text(text: string): void {
    const shown = this.#open.at(-1)?.text;
    if (shown) shown.chars += text.trim().length;
  }

  #dashed(dashes: string | undefined): void {
    const length = sum(numbersIn(dashes));
    if (length > 0) this.#dash = Math.min(this.#dash, length);
  }

  /** A style, or the value of an attribute, which may be one. */
  style(text: string): void {
    if (/animation|transition/.test(text)) this.#isMoving = true;
    if (holdsAnother(text)) this.#add(PARTS_MAX + 1);
    for (const [, dashes] of text.matchAll(/stroke-dasharray\s*:([^;}]*)/gi)) this.#dashed(dashes);
  }

  sheet(text: string): void {
    this.style(text);
    this.#style += text;
  }

  /** A group's parts, with the parts that it refers to; a part that refers to itself is not drawn. */
  #whole({ parts, references }: Group, known: Map<string, number>): number {
    return references.reduce((sum, { id, times }) => sum + times * this.#wholeOf(id, known), parts);
  }

  #wholeOf(id: string, known: Map<string, number>): number {
    const before = known.get(id);
    const group = this.#groups.get(id);
    if (before !== undefined || !group) return before ?? 0;
    known.set(id, 0);
    const whole = this.#whole(group, known);
    known.set(id, whole);
    return whole;
  }

  total(): number {
    const known = new Map<string, number>();
    const shapes = this.#whole(this.#all, known);
    const rules = this.#style.split('{').length - 1;
    // Which shapes a rule is for is not known here: it may be all.
    const styled = urlReferences(this.#style).reduce((sum, id) => sum + this.#wholeOf(id, known) * this.#all.parts, 0);
    const compared = ((this.#style.match(COMPARING)?.length ?? 0) * shapes ** 2) / RULE_COMPARISONS;
    const dashes = this.#length / this.#dash / DASHES;
    const still = shapes + styled + compared + dashes + (rules * shapes) / RULE_MATCHES;
    return this.#isMoving ? still * MOVING_TIMES : still;
  }
}

/** A declaration whose text holds markup or other entities: the parser below would not see what it stands for. */
const MARKUP_IN_ENTITY = /<!ENTITY\s+(%|[^\s>]+\s+(["'])(?:(?!\2)[\s\S])*?[<&%])/;

/** Whether a browser would stop the page for long while it draws this. */
export function isHeavyDrawing(bytes: Uint8Array): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  // Browsers find UTF-16 without a mark in their own way.
  if (!isUtf16 && bytes.includes(0)) return true;
  const text = new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
  if (MARKUP_IN_ENTITY.test(text)) return true;
  const weight = new Weight();
  let isStyle = false;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        isStyle = /(^|:)style$/.test(name);
        weight.open(name.replace(/^.*:/, ''), attributes);
      },
      onprocessinginstruction: (_name, instruction) => weight.style(instruction),
      ontext: (part) => (isStyle ? weight.sheet(part) : weight.text(part)),
      onclosetag: () => {
        isStyle = false;
        weight.close();
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return weight.total() + text.length / FILE_CHARS > PARTS_MAX;
}
