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
function attributesOf(tag: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`]+))/g,
  )) {
    const key = name.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, tidy(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

/** What only looks like tags: comments, and the insides of scripts and styles. */
const NOT_MARKUP = /<!--[\s\S]*?(?:-->|$)|<(script|style|noscript|template)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;

interface Tags {
  readonly title: string;
  /** By lower-case name or property; the first of a name that says anything counts. */
  readonly meta: ReadonlyMap<string, string>;
}

function readTags(page: string): Tags {
  const markup = page.replaceAll(NOT_MARKUP, '');
  const meta = new Map<string, string>();
  for (const [tag] of markup.matchAll(/<meta\b(?:"[^"]*"|'[^']*'|[^'">])*>/gi)) {
    const attributes = attributesOf(tag);
    const name = (attributes.get('property') ?? attributes.get('name') ?? '').toLowerCase();
    const content = attributes.get('content') ?? '';
    if (name !== '' && content !== '' && !meta.has(name)) meta.set(name, content);
  }
  return { title: tidy(/<title\b[^>]*>([^<]*)/i.exec(markup)?.[1] ?? ''), meta };
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
