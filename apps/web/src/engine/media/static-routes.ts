import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { APP_START } from '../app/offline-answer.ts';
import { SERVED_PATHS } from './media-protocol.ts';

/** Which requests the browser asks the service worker for (https://w3c.github.io/ServiceWorker/#dom-installevent-addroutes). */

interface Rule {
  readonly condition: {
    readonly urlPattern: string | { readonly pathname: string; readonly search: string };
    readonly requestMode?: RequestMode;
    readonly runningStatus?: 'running';
  };
  /** A race asks both at once: what the network answers is not awaited by anything. */
  readonly source: 'fetch-event' | 'network' | 'race-network-and-fetch-handler';
}

/** Not yet in TypeScript's library; absent in browsers without static routes. */
export interface Routed {
  readonly addRoutes?: (rules: readonly Rule[]) => Promise<void>;
}

/** Pages that a person may reload. None of them redirects: in a race, both ask the server. */
const PAGES = ['/', '/upload', '/profile', '/f/*'];

/**
 * The installed app's page for when it is offline (engine/app/offline-answer): its start asks the worker beside the network, and
 * so does every page while the worker runs anyway. No other page starts a worker.
 */
const PAGES_OF_APP: readonly Rule[] = [
  { urlPattern: APP_START },
  ...PAGES.map((urlPattern) => ({ urlPattern, runningStatus: 'running' as const })),
].map((where) => ({
  condition: { ...where, requestMode: 'navigate' },
  source: 'race-network-and-fetch-handler',
}));

/**
 * Has the browser ask for pages, scripts and data itself, where it can (Chromium since 123). A page that it asks a worker
 * for waits until that has started, and Chromium may never load one that it asked for as a newer worker took over. A browser
 * that refuses the rules asks the worker for everything, which leaves it to the network, too.
 */
export async function leaveRest(installing: Routed): Promise<void> {
  const here = [...SERVED_PATHS, SHARE_TARGET_PATH];
  const rules = here.map((urlPattern): Rule => ({ condition: { urlPattern }, source: 'fetch-event' }));
  const rest: Rule = { condition: { urlPattern: '/*' }, source: 'network' };
  await installing.addRoutes?.([...rules, ...PAGES_OF_APP, rest]).catch(() => undefined);
}
