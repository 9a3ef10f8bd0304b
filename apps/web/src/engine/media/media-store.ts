import type { Delivery } from '@satchel/client/open/delivery-stream';
import { ownFileUrl } from '@satchel/client/open/file-url';
import { isZip, type Offer } from './media-protocol.ts';
import { createOpeningLink, type OpeningLink } from './opening/opening-link.ts';

export interface Offered {
  readonly entry: Offer;
  /** Leads to the opening worker of the page that makes the offer. */
  readonly port?: MessagePort | undefined;
}

export interface MediaStoreDeps {
  /** Of this site. */
  readonly origin: string;
  /** Asks the open pages, since the browser may have ended the worker and its memory with it. */
  readonly askPages: (id: string) => Promise<Offered | null>;
  readonly locks: Pick<LockManager, 'request'>;
}

/** How many downloads are kept after their end, so that a page can ask for them. */
const DELIVERIES_KEPT = 100;

/** What the service worker remembers while it runs. */
export function createMediaStore({ origin, askPages, locks }: MediaStoreDeps) {
  const entries = new Map<string, Offer>();
  const links = new Map<string, OpeningLink>();
  const deliveries = new Map<string, Delivery>();

  const isOwn = ({ url }: { url: string }): boolean => ownFileUrl(url, origin) === url;

  /** Keeps an entry; one whose bytes are not stored files of this site is left out. */
  function add(id: string, { entry, port }: Offered): boolean {
    const isTaken = isZip(entry) ? entry.files.every(isOwn) : isOwn(entry);
    if (isTaken) entries.set(id, entry);
    if (!isTaken || !port) {
      port?.close();
      return isTaken;
    }
    links.get(id)?.close();
    links.set(id, createOpeningLink(port, locks));
    return isTaken;
  }

  async function lookup(id: string): Promise<Offer | null> {
    const known = entries.get(id);
    if (known) return known;
    const asked = await askPages(id);
    return asked !== null && add(id, asked) ? asked.entry : null;
  }

  /** Keeps how far a file is. True when nothing was known of it before. */
  function keepDelivery(id: string, delivery: Delivery): boolean {
    const isNew = !deliveries.delete(id);
    deliveries.set(id, delivery);
    const [oldest] = deliveries.keys();
    if (deliveries.size > DELIVERIES_KEPT && oldest !== undefined) deliveries.delete(oldest);
    return isNew;
  }

  return {
    add,
    lookup,
    linkOf: (id: string): OpeningLink | null => links.get(id) ?? null,
    keepDelivery,
    delete: (id: string): void => {
      entries.delete(id);
      links.get(id)?.close();
      links.delete(id);
      deliveries.delete(id);
    },
    deliveriesOf: (ids: readonly string[]): (Delivery | null)[] => ids.map((id) => deliveries.get(id) ?? null),
  };
}
