import { deviceCaches } from '../../lib/base/device.ts';

/** The page that the installed app shows where the site can't be reached: written by a page, given out by the service worker. */

const CACHE = 'satchel-offline';
const PAGE = '/offline';
/** How the installed app starts: `start_url` of public/manifest.webmanifest. */
export const APP_START = { pathname: '/', search: 'app' } as const;

/** Keeps the page, in the language of now. */
export async function keepOfflinePage(page: Response): Promise<void> {
  await (await deviceCaches()?.open(CACHE))?.put(PAGE, page);
}

const keptPage = async () => (await deviceCaches()?.open(CACHE))?.match(PAGE);

export interface OfflineDeps {
  readonly fetch: typeof globalThis.fetch;
  /** Of this site. */
  readonly origin: string;
}

export function createOfflineAnswer({ fetch, origin }: OfflineDeps) {
  let isKept = false;
  const looked = Promise.resolve(deviceCaches()?.has(CACHE))
    .catch(() => false)
    .then((isThere) => {
      isKept = isThere === true;
    });

  async function answer(request: Request): Promise<Response> {
    try {
      return await fetch(request);
    } catch (error) {
      const page = await keptPage().catch(() => undefined);
      if (page) return page;
      throw error;
    }
  }

  return {
    looked,
    /** Null for every request but a page's, and where the site is not installed: the browser asks the network itself. */
    handle(request: Request): Promise<Response> | null {
      const { origin: at, pathname, search } = new URL(request.url);
      if (request.mode !== 'navigate' || request.method !== 'GET' || at !== origin) return null;
      const isStart = pathname === APP_START.pathname && search === `?${APP_START.search}`;
      return isKept || isStart ? answer(request) : null;
    },
  };
}
