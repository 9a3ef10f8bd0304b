import { FOLLOWED_MAX, type FolderChange } from '@satchel/contract/wire/folder-changes';
import type { Channel } from '../../../lib/base/device.ts';

/**
 * One connection a browser: of its tabs, one holds the lock and follows the folders of all. Without locks or channels,
 * each tab follows its own.
 */

type Message =
  /** A tab says which folders it shows. */
  | { readonly tab: string; readonly slugs: readonly string[] }
  /** The tab that follows asks all others. */
  | { readonly asks: true }
  | { readonly change: FolderChange };

export interface TabLineDeps {
  readonly channel: Pick<Channel, 'postMessage' | 'addEventListener'> | null;
  readonly locks: Pick<LockManager, 'request'> | null;
  readonly follow: (slugs: readonly string[], onChange: (change: FolderChange) => void, signal: AbortSignal) => unknown;
  readonly nowMs: () => number;
}

const LOCK = 'satchel-changes';
/** A tab that was closed without a word is left out after two rounds of questions. */
const ROUND_MS = 60_000;

type Listener = (change: FolderChange) => void;

/** What the tab that holds the lock does for all. */
function createLead({ channel, follow, nowMs }: TabLineDeps, own: () => readonly string[], tell: Listener) {
  const others = new Map<string, { slugs: readonly string[]; atMs: number }>();
  /** What the present stream follows, with what it said last. */
  let following = new Map<string, { change: FolderChange; atMs: number } | null>();
  let stream: AbortController | null = null;

  function onChange(change: FolderChange): void {
    if (change.version === null) following.delete(change.slug);
    else following.set(change.slug, { change, atMs: nowMs() });
    channel?.postMessage({ change } satisfies Message);
    tell(change);
  }

  /** A folder that is followed already is told of at once; a further one needs another stream. */
  function serve(asked: readonly string[]): void {
    const wanted = new Set([...own(), ...[...others.values()].flatMap(({ slugs }) => slugs)]);
    for (const slug of asked) {
      const said = following.get(slug);
      if (!said) continue;
      const change = { ...said.change, age_ms: said.change.age_ms + nowMs() - said.atMs };
      channel?.postMessage({ change } satisfies Message);
      tell(change);
    }
    if (stream && [...wanted].every((slug) => following.has(slug))) return;
    stream?.abort();
    stream = new AbortController();
    const slugs = [...wanted].slice(0, FOLLOWED_MAX);
    following = new Map(slugs.map((slug) => [slug, following.get(slug) ?? null]));
    if (slugs.length > 0) void follow(slugs, onChange, stream.signal);
  }

  const ask = () => {
    for (const [tab, { atMs }] of others) if (nowMs() - atMs > 2 * ROUND_MS) others.delete(tab);
    channel?.postMessage({ asks: true } satisfies Message);
  };
  const rounds = setInterval(ask, ROUND_MS);
  ask();
  serve([]);
  return {
    serve,
    hear({ tab, slugs }: { tab: string; slugs: readonly string[] }): void {
      const before = others.get(tab)?.slugs ?? [];
      others.set(tab, { slugs, atMs: nowMs() });
      if (slugs.join() !== before.join()) serve(slugs);
    },
    end(): void {
      clearInterval(rounds);
      stream?.abort();
    },
  };
}

export function createTabLine(deps: TabLineDeps) {
  const { channel, locks } = deps;
  const tab = crypto.randomUUID();
  const listeners = new Map<string, Set<Listener>>();
  let lead: ReturnType<typeof createLead> | null = null;
  let leaving: (() => void) | null = null;

  const own = () => [...listeners.keys()];
  const tell = (change: FolderChange) => {
    for (const listener of listeners.get(change.slug) ?? []) listener(change);
  };
  const say = () => channel?.postMessage({ tab, slugs: own() } satisfies Message);

  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('change' in data) return lead ? undefined : tell(data.change);
    if ('asks' in data) return listeners.size > 0 ? say() : undefined;
    lead?.hear(data);
  });

  /** Leads until this tab shows no folder any more, if need be after the tab that leads now. */
  function enter(): void {
    if (leaving) return;
    const wait = new AbortController();
    const lasting = Promise.withResolvers<void>();
    leaving = () => {
      wait.abort();
      lasting.resolve();
      lead?.end();
      lead = null;
      leaving = null;
    };
    const begin = () => {
      lead = createLead(deps, own, tell);
      return lasting.promise;
    };
    // A browser that keeps nothing for the site refuses locks: then this tab follows its own folders.
    const alone = () => (wait.signal.aborted ? undefined : begin());
    if (locks && channel) locks.request(LOCK, { signal: wait.signal }, begin).catch(alone);
    else void begin();
  }

  return {
    /** @returns stops listening */
    listen(slug: string, listener: Listener): () => void {
      const all = listeners.get(slug) ?? new Set();
      listeners.set(slug, all.add(listener));
      say();
      lead?.serve([slug]);
      enter();
      return () => {
        if (!all.delete(listener) || all.size > 0) return;
        listeners.delete(slug);
        say();
        if (listeners.size === 0) leaving?.();
      };
    },
  };
}
