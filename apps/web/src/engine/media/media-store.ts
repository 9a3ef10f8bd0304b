import { ownFileUrl } from '../files/file-url.ts';
import { type Delivery, isZip, type Offer } from './media-protocol.ts';

export interface MediaStoreDeps {
  /** Of this site. */
  readonly origin: string;
  /** Asks the open pages, since the browser may have ended the worker and its memory with it. */
  readonly askPages: (id: string) => Promise<Offer | null>;
}

/** How many downloads are kept after their end, so that a page can ask for them. */
const DELIVERIES_KEPT = 100;

/** What the service worker remembers while it runs. */
export function createMediaStore({ origin, askPages }: MediaStoreDeps) {
  const entries = new Map<string, Offer>();
  const deliveries = new Map<string, Delivery>();

  const isOwn = ({ url }: { url: string }): boolean => ownFileUrl(url, origin) === url;

  /** Keeps an entry; one whose bytes are not stored files of this site is left out. */
  function add(id: string, entry: Offer): boolean {
    if (!(isZip(entry) ? entry.files.every(isOwn) : isOwn(entry))) return false;
    entries.set(id, entry);
    return true;
  }

  async function lookup(id: string): Promise<Offer | null> {
    const known = entries.get(id);
    if (known) return known;
    const asked = await askPages(id);
    return asked !== null && add(id, asked) ? asked : null;
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
    keepDelivery,
    delete: (id: string): void => {
      entries.delete(id);
      deliveries.delete(id);
    },
    deliveriesOf: (ids: readonly string[]): (Delivery | null)[] => ids.map((id) => deliveries.get(id) ?? null),
  };
}
