import type { APIEmbed } from 'discord-api-types/v10';
import { Parser } from 'htmlparser2';

interface Tags {
  readonly title: string;
  /** By lower-case name or property; the first of a name that says anything counts. */
  readonly meta: ReadonlyMap<string, string>;
}

/** What stands in these is not of the page's head, though it may look so. */
const ASIDE = new Set(['noscript', 'template']);

const tidy = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** What a page's head says: everything before its body. */
function readTags(page: string): Tags {
  const meta = new Map<string, string>();
  const titles: string[] = [];
  let aside = 0;
  let isInTitle = false;
  let isOver = false;
  const parser = new Parser({
    onopentag(name, { property, name: named, content = '' }) {
      if (name === 'body') isOver = true;
      if (ASIDE.has(name)) aside += 1;
      if (isOver || aside > 0) return;
      isInTitle = name === 'title';
      if (isInTitle) titles.push('');
      const key = tidy(property ?? named ?? '').toLowerCase();
      const value = tidy(content);
      if (name === 'meta' && key !== '' && value !== '' && !meta.has(key)) meta.set(key, value);
    },
    ontext(text) {
      if (isInTitle) titles.push((titles.pop() ?? '') + text);
    },
    onclosetag(name) {
      if (ASIDE.has(name)) aside -= 1;
      isInTitle = false;
    },
  });
  parser.end(page);
  return { title: titles.map(tidy).find((title) => title !== '') ?? '', meta };
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
