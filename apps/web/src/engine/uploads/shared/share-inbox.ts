import { SHARE_TARGET_PATH } from '@satchel/contract/paths';

/**
 * What other apps share with the installed site, in the service worker: the files wait in memory until the page that creates
 * a folder asks for them. They never reach the server.
 */

/** Long enough to sign in first. Browsers end a worker that holds on for longer. */
const KEEP_MS = 4 * 60_000;
/** The name of the files' field in public/manifest.webmanifest. */
const FIELD = 'files';

export interface ShareInboxDeps {
  /** Of this site. */
  readonly origin: string;
  readonly sleep: (delayMs: number) => Promise<void>;
}

interface Share {
  readonly answer: Promise<Response>;
  /** Resolves when the files were taken, or are given up. */
  readonly over: Promise<void>;
}

/** To the page, by GET. @param word an id, or why there are no files */
const leadTo = (word: string): Response =>
  new Response(null, { status: 303, headers: { Location: `/upload?shared=${word}` } });

export function createShareInbox({ origin, sleep }: ShareInboxDeps) {
  const waiting = new Map<string, { readonly files: readonly File[]; readonly taken: () => void }>();

  async function receive(request: Request, id: string, taken: () => void): Promise<Response> {
    const form = await request.formData().catch(() => null);
    const files = form?.getAll(FIELD).filter((value): value is File => typeof value !== 'string') ?? [];
    if (files.length === 0) {
      taken();
      return leadTo(form ? 'none' : 'unread');
    }
    waiting.set(id, { files, taken });
    return leadTo(id);
  }

  return {
    /** Null for every other request. */
    handle(request: Request): Share | null {
      const { origin: at, pathname } = new URL(request.url);
      if (at !== origin || pathname !== SHARE_TARGET_PATH || request.method !== 'POST') return null;
      const id = crypto.randomUUID();
      const taken = Promise.withResolvers<void>();
      const over = Promise.race([taken.promise, sleep(KEEP_MS)]).then(() => void waiting.delete(id));
      return { answer: receive(request, id, taken.resolve), over };
    },
    /** The files of a share, once; null when they are gone. */
    take(id: string): readonly File[] | null {
      const share = waiting.get(id);
      waiting.delete(id);
      share?.taken();
      return share?.files ?? null;
    },
  };
}
