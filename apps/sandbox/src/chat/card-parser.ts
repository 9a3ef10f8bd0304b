import type { APIEmbed } from 'discord-api-types/v10';

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const point = decimal !== undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '�';
  });
}

const tidy = (text: string) => decode(text).replaceAll(/\s+/g, ' ').trim();

/** Attributes as pages in the wild have them: quoted either way, or not at all; the first of a name counts. */
function attributesOf(inside: string): Map<string, string> {
  const attributes = new Map<string, string>();
  // Each name is taken whole, with a value or without, so that nothing is read twice.
  const pattern = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+)))?/g;
  for (const [, name = '', double, single, bare] of inside.matchAll(pattern)) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, tidy(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

/** Where a tag that begins at `start` ends: at the first ">" that is in no quotes. -1 where it never does. */
function endOfTag(page: string, start: number): number {
  let quote = '';
  for (let position = start; position < page.length; position += 1) {
    const character = page[position] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return position;
  }
  return -1;
}

interface Tag {
  readonly name: string;
  /** What stands between its name and its end. */
  readonly inside: string;
  /** A title's text. */
  readonly text: string;
}

/** In these tags' insides, what looks like tags is text. */
const RAW = new Set(['script', 'style', 'noscript', 'template']);

/** Where reading goes on after the insides of a raw tag; -1 where it never ends. */
function endOfRaw(page: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}\\b`, 'gi');
  closing.lastIndex = from;
  return closing.exec(page)?.index ?? -1;
}

const MAX_TITLE = 1_000;

/** The tags of a page's head, in one pass: whatever is never closed ends the reading. */
function* tagsOf(page: string): Generator<Tag> {
  const opening = /<(?:!--|([a-z][a-z0-9-]*))/gi;
  for (let found = opening.exec(page); found !== null; found = opening.exec(page)) {
    const name = found[1]?.toLowerCase();
    const end = name === undefined ? page.indexOf('-->', opening.lastIndex) : endOfTag(page, opening.lastIndex);
    if (end === -1 || name === 'body') return;
    const next = name !== undefined && RAW.has(name) ? endOfRaw(page, name, end) : end + 1;
    if (next === -1) return;
    if (name !== undefined) {
      const text = name === 'title' ? (/^[^<]*/.exec(page.slice(end + 1, end + 1 + MAX_TITLE))?.[0] ?? '') : '';
      yield { name, inside: page.slice(opening.lastIndex, end), text };
    }
    opening.lastIndex = next;
  }
}

interface Tags {
  readonly title: string;
  /** By lower-case name or property; the first of a name that says anything counts. */
  readonly meta: ReadonlyMap<string, string>;
}

function readTags(page: string): Tags {
  const meta = new Map<string, string>();
  let title = '';
  for (const { name, inside, text } of tagsOf(page)) {
    if (name === 'title' && title === '') title = tidy(text);
    if (name !== 'meta') continue;
    const attributes = attributesOf(inside);
    const key = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
    const content = attributes.get('content') ?? '';
    if (key !== '' && content !== '' && !meta.has(key)) meta.set(key, content);
  }
  return { title, meta };
}

const cut = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

function colourOf(text: string | undefined): number | undefined {
  const [, short, long] = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(text ?? '') ?? [];
  const hex = long ?? short?.replaceAll(/./g, '$&$&');
  return hex === undefined ? undefined : Number.parseInt(hex, 16);
}

function pictureOf(meta: Tags['meta'], base: URL): string | undefined {
  const address = meta.get('og:image') ?? meta.get('og:image:url') ?? meta.get('twitter:image');
  if (address === undefined || !URL.canParse(address, base.href)) return undefined;
  const url = new URL(address, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/** @returns the card that Discord makes of a page, or null of a page that says nothing of itself */
export function readCard(page: string, url: URL): APIEmbed | null {
  const { title: pageTitle, meta } = readTags(page);
  const title = meta.get('og:title') ?? meta.get('twitter:title') ?? pageTitle;
  const description = meta.get('og:description') ?? meta.get('twitter:description') ?? meta.get('description') ?? '';
  const image = pictureOf(meta, url);
  if (title === '' && description === '' && image === undefined) return null;
  const site = meta.get('og:site_name');
  const color = colourOf(meta.get('theme-color'));
  const isLarge = meta.get('twitter:card') === 'summary_large_image';
  return {
    url: url.href,
    ...(title !== '' && { title: cut(title, 256) }),
    ...(description !== '' && { description: cut(description, 350) }),
    ...(site !== undefined && { provider: { name: cut(site, 256) } }),
    ...(color !== undefined && { color }),
    ...(image !== undefined && (isLarge ? { image: { url: image } } : { thumbnail: { url: image } })),
  };
}
