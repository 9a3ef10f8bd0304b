import type { APIEmbed } from 'discord-api-types/v10';
import { linksIn } from '../browser/messages/markdown.ts';
import type { ChatMessage } from '../chat-entities.ts';
import { fetchLoopback } from './loopback-fetch.ts';

const LIMIT_BYTES = 512 * 1024;
const MAX_CARDS = 5;
const PAGES = /^(text\/html|application\/xhtml\+xml)(;|$)/i;

interface LinkCardsDeps {
  readonly attach: (messageId: string, embeds: readonly APIEmbed[]) => void;
}

async function cardOf(link: string, signal: AbortSignal): Promise<APIEmbed[]> {
  const page = await fetchLoopback(link, { limitBytes: LIMIT_BYTES, accepts: PAGES, signal });
  if (page === null) return [];
  // Its parser is loaded with the first card, since most sites of tests never make one.
  const { readCard } = await import('./card-parser.ts');
  const card = readCard(page.bytes.toString('utf8'), page.url);
  // What people click on is the link as it was posted, with all that belongs to it.
  return card === null ? [] : [{ ...card, url: link }];
}

/** Cards under links, as Discord's fetcher would make them: of messages that more than one person sees. */
export function createLinkCards({ attach }: LinkCardsDeps) {
  const stop = new AbortController();
  /** The links of a message that were seen to, so that the card's own event, and each reader's, changes nothing. */
  const seen = new Map<string, Set<string>>();

  return {
    /** Sees to the cards of a message that is new or has changed. */
    async consider({ id, content, is_ephemeral, state }: ChatMessage): Promise<void> {
      if (is_ephemeral || state !== 'sent') return;
      const known = seen.get(id) ?? new Set();
      seen.set(id, known);
      const links = linksIn(content).filter((link) => !known.has(link));
      for (const link of links) known.add(link);
      const cards = await Promise.all(links.slice(0, MAX_CARDS).map((link) => cardOf(link, stop.signal)));
      if (cards.flat().length > 0 && !stop.signal.aborted) attach(id, cards.flat());
    },
    close: () => stop.abort(),
  };
}
