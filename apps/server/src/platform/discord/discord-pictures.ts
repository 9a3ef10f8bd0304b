import { MIB } from '@satchel/contract/limits';

/**
 * Fetches avatars and banners from Discord's CDN for the browsers: the addresses hold the Discord id of a person, and
 * Discord would see the network address of each visitor.
 */

export interface Picture {
  readonly type: 'image/png' | 'image/gif';
  readonly bytes: Buffer;
}

export interface DiscordPictures {
  /**
   * Reads a picture by its address in the profile.
   * @param address address at this CDN; other hosts' are not fetched
   * @returns null when there is none: unknown, too large, not a picture, or Discord does not answer
   */
  read(address: string): Promise<Picture | null>;
}

export interface DiscordPicturesOptions {
  /** The only host that is fetched from. */
  readonly cdnOrigin: string;
  readonly report: (error: unknown) => void;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** An animated banner of 1024 pixels takes several MiB. */
const MAX_BYTES = 8 * MIB;
const TIMEOUT_MS = 5000;
/** An address holds a hash of its picture, which therefore never changes; it may be deleted. */
const FRESH_MS = 60 * 60_000;
const MISSING_MS = 5 * 60_000;
const FAILED_MS = 15_000;
const CACHE_BYTES = 32 * MIB;
const CACHE_ENTRIES = 2000;
/** Each fetch may hold MAX_BYTES in memory. */
const MAX_AT_ONCE = 8;

/** The paths that toDiscordUser writes, and no others of the CDN. */
const PATH = /^\/(?:(?:avatars|banners)\/\d{1,20}\/\w{1,64}|embed\/avatars\/\d)\.(png|gif)$/;
const SEARCH = /^(\?size=\d{1,4})?$/;

const MAGIC = {
  png: { type: 'image/png', bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
  gif: { type: 'image/gif', bytes: Buffer.from('GIF8') },
} as const;
type Extension = keyof typeof MAGIC;

interface Target {
  readonly url: string;
  readonly extension: Extension;
}

/** The CDN answered without a picture that may be served. */
class NoPictureError extends Error {
  override readonly name = 'NoPictureError';
}

function targetOf(address: string, cdnOrigin: string): Target | null {
  const url = URL.parse(address);
  if (url?.origin !== cdnOrigin || url.username !== '' || url.password !== '' || url.hash !== '') return null;
  const [, extension] = PATH.exec(url.pathname) ?? [];
  if (!extension || !SEARCH.test(url.search)) return null;
  return { url: url.href, extension: extension as Extension };
}

async function readBody(response: Response, maxBytes: number): Promise<Buffer> {
  if (Number(response.headers.get('content-length')) > maxBytes) throw new NoPictureError('too large');
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw new NoPictureError('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function download({ url, extension }: Target, maxBytes: number, timeoutMs: number): Promise<Picture> {
  const { type, bytes: magic } = MAGIC[extension];
  // The signal also ends a slow body; leaving readBody early closes the connection.
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { redirect: 'error', headers: { accept: type }, signal });
  try {
    if (response.status >= 500) throw new Error('Discord’s CDN failed');
    if (!response.ok || response.headers.get('content-type') !== type) throw new NoPictureError('not there');
    const bytes = await readBody(response, maxBytes);
    if (!bytes.subarray(0, magic.length).equals(magic)) throw new NoPictureError('other bytes than its type');
    return { type, bytes };
  } finally {
    if (!response.bodyUsed) await response.body?.cancel();
  }
}

interface Entry {
  readonly picture: Picture | null;
  readonly untilMs: number;
}

/** Caches the pictures that were read last. */
function createCache(now: () => number) {
  const entries = new Map<string, Entry>();
  let sizeBytes = 0;

  const evict = (key: string) => {
    sizeBytes -= entries.get(key)?.picture?.bytes.byteLength ?? 0;
    entries.delete(key);
  };
  return {
    get(key: string): Entry | null {
      const entry = entries.get(key);
      if (!entry) return null;
      evict(key);
      if (entry.untilMs <= now()) return null;
      this.set(key, entry);
      return entry;
    },
    set(key: string, entry: Entry): void {
      evict(key);
      entries.set(key, entry);
      sizeBytes += entry.picture?.bytes.byteLength ?? 0;
      for (const oldest of entries.keys()) {
        if (sizeBytes <= CACHE_BYTES && entries.size <= CACHE_ENTRIES) break;
        evict(oldest);
      }
    },
  };
}

/** Creates the reader of Discord's CDN: a cache, one request for each picture, few at once. */
export function createDiscordPictures(options: DiscordPicturesOptions): DiscordPictures {
  const { cdnOrigin, report, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS, now = Date.now } = options;
  const cache = createCache(now);
  const pending = new Map<string, Promise<Picture | null>>();

  async function fetchAndCache(target: Target): Promise<Picture | null> {
    const keep = (picture: Picture | null, forMs: number) => {
      cache.set(target.url, { picture, untilMs: now() + forMs });
      return picture;
    };
    try {
      return keep(await download(target, maxBytes, timeoutMs), FRESH_MS);
    } catch (error) {
      if (error instanceof NoPictureError) return keep(null, MISSING_MS);
      report(error);
      return keep(null, FAILED_MS);
    } finally {
      pending.delete(target.url);
    }
  }

  return {
    async read(address) {
      const target = targetOf(address, cdnOrigin);
      if (!target) return null;
      const kept = cache.get(target.url);
      if (kept) return kept.picture;
      const underWay = pending.get(target.url);
      if (underWay) return underWay;
      if (pending.size >= MAX_AT_ONCE) return null;
      const fetching = fetchAndCache(target);
      pending.set(target.url, fetching);
      return fetching;
    },
  };
}
