import type { APIEmbed } from 'discord-api-types/v10';
import { Parser } from 'htmlparser2';

/** What stands in these is not of the page's head, though it may look so. */
const ASIDE = new Set(['noscript', 'template']);

const tidy = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** What a page's head says, by lower-case name or property; the first of a name that says anything counts. */
function readMeta(page: string): ReadonlyMap<string, string> {
  const meta = new Map<string, string>();
  let title = '';
  let aside = 0;
  let isInTitle = false;
  let isOver = false;
  const note = (key: string, value: string) => {
    if (key !== '' && value !== '' && !meta.has(key)) meta.set(key, value);
  };
  const parser = new Parser({
    onopentag(name, { property, name: named, content = '' }) {
      if (name === 'body') isOver = true;
      if (ASIDE.has(name)) aside += 1;
      isInTitle = name === 'title' && !isOver && aside === 0;
      if (name === 'meta' && !isOver && aside === 0) note(tidy(property ?? named ?? '').toLowerCase(), tidy(content));
    },
    ontext(text) {
      if (isInTitle) title += text;
    },
    onclosetag(name) {
      if (ASIDE.has(name)) aside -= 1;
      isInTitle = false;
    },
  });
  parser.end(page);
  note('title', tidy(title));
  return meta;
}

const cut = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

function pictureOf(address: string | undefined, base: URL): string | undefined {
  const url = address === undefined ? null : URL.parse(address, base.href);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

/** @returns the card that Discord makes of a page, or null of a page that says nothing of itself */
export function readCard(page: string, url: URL): APIEmbed | null {
  const meta = readMeta(page);
  const title = meta.get('og:title') ?? meta.get('title');
  const description = meta.get('og:description') ?? meta.get('description');
  const image = pictureOf(meta.get('og:image'), url);
  if (title === undefined && description === undefined && image === undefined) return null;
  const site = meta.get('og:site_name');
  const [, color] = /^#([0-9a-f]{6})$/i.exec(meta.get('theme-color') ?? '') ?? [];
  const isLarge = meta.get('twitter:card') === 'summary_large_image';
  return {
    url: url.href,
    ...(title !== undefined && { title: cut(title, 256) }),
    ...(description !== undefined && { description: cut(description, 350) }),
    ...(site !== undefined && { provider: { name: cut(site, 256) } }),
    ...(color !== undefined && { color: Number.parseInt(color, 16) }),
    ...(image !== undefined && { [isLarge ? 'image' : 'thumbnail']: { url: image } }),
  };
}
