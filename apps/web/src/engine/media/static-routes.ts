import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { SERVED_PATHS } from './media-protocol.ts';

/** Which requests the browser asks the service worker for (https://w3c.github.io/ServiceWorker/#dom-installevent-addroutes). */

interface Rule {
  readonly condition: { readonly urlPattern: string };
  readonly source: 'fetch-event' | 'network';
}

/** Not yet in TypeScript's library; absent in browsers without static routes. */
export interface Routed {
  readonly addRoutes?: (rules: readonly Rule[]) => Promise<void>;
}

/**
 * Has the browser ask for pages, scripts and data itself, where it can (Chromium since 123). A page that it asks a worker
 * for waits until that has started, and Chromium may never load one that it asked for as a newer worker took over. A browser
 * that refuses the rules asks the worker for everything, which leaves it to the network, too.
 */
export async function leaveRest(installing: Routed): Promise<void> {
  const here = [...SERVED_PATHS, SHARE_TARGET_PATH];
  const rules = here.map((urlPattern): Rule => ({ condition: { urlPattern }, source: 'fetch-event' }));
  const rest: Rule = { condition: { urlPattern: '/*' }, source: 'network' };
  await installing.addRoutes?.([...rules, rest]).catch(() => undefined);
}
