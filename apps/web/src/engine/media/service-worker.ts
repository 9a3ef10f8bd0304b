import { pause } from '@satchel/client/pause';
import { createOfflineAnswer } from '../app/offline-answer.ts';
import { PAGE_LINE } from '../files/page-line.ts';
import { createShareInbox } from '../uploads/shared/share-inbox.ts';
import { createMediaHandler } from './media-handler.ts';
import type { Offer, PageMessage, WorkerMessage } from './media-protocol.ts';
import { createMediaStore, type Offered } from './media-store.ts';
import { leaveRest, type Routed } from './static-routes.ts';
import { createStreamLock, TAKEOVER_MS } from './stream-lock.ts';

/**
 * Built to /sw.js. Serves opened files under `/dl/` and `/media/` (docs/decisions/023), takes what other apps share with the site,
 * has a page for the installed app when it is offline, and leaves every other request to the network: no page, script or call
 * ever depends on it.
 */

const scope = globalThis as unknown as ServiceWorkerGlobalScope;
/** A busy page answers late; a page that is being closed never does. */
const ANSWER_MS = 5000;

const pages = () => scope.clients.matchAll({ type: 'window', includeUncontrolled: true });

function askPage(page: Client, id: string): Promise<Offered> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    const timer = setTimeout(() => reject(new Error('no answer')), ANSWER_MS);
    port1.onmessage = ({ data: entry, ports: [port] }: MessageEvent<Offer | null>) => {
      clearTimeout(timer);
      port1.close();
      if (entry) resolve({ entry, port });
      else reject(new Error('not known there'));
    };
    page.postMessage({ type: 'need', id } satisfies WorkerMessage, [port2]);
  });
}

const store = createMediaStore({
  origin: scope.location.origin,
  askPages: async (id) => Promise.any((await pages()).map((page) => askPage(page, id))).catch(() => null),
  locks: scope.navigator.locks,
});

const streamLock = createStreamLock(scope.navigator.locks);

const handler = createMediaHandler({
  ...PAGE_LINE,
  origin: scope.location.origin,
  lookup: store.lookup,
  linkOf: store.linkOf,
  begin: streamLock.begin,
  onDelivery: async (id, delivery) => {
    const isNew = store.keepDelivery(id, delivery);
    // Pages are told of a file's begin and end, and that it stands still; they ask for progress in between.
    if (delivery.state === 'active' && !isNew) return;
    for (const page of await pages()) page.postMessage({ type: 'delivery', id, delivery } satisfies WorkerMessage);
  },
});

const shares = createShareInbox({
  origin: scope.location.origin,
  sleep: pause,
});

const offline = createOfflineAnswer({ origin: scope.location.origin, fetch: (request) => fetch(request) });

const activated = Promise.withResolvers<void>();

/** Replaces the worker before, unless that would cut what it hands out; the next page that is loaded asks once more. */
const takeOver = (): Promise<void> =>
  streamLock.takeOver(
    () => scope.skipWaiting(),
    () => Promise.race([activated.promise, pause(TAKEOVER_MS)]),
  );

scope.addEventListener('install', (event) =>
  event.waitUntil(Promise.all([leaveRest(event as ExtendableEvent & Routed), takeOver()])),
);
scope.addEventListener('activate', (event) => {
  activated.resolve();
  event.waitUntil(scope.clients.claim());
});

scope.addEventListener('message', (event) => {
  const message = event.data as PageMessage;
  const [port, opening] = event.ports;
  if (message.type === 'add') port?.postMessage(store.add(message.id, { entry: message.entry, port: opening }));
  if (message.type === 'drop') store.delete(message.id);
  if (message.type === 'cancel') handler.cancel(message.id);
  if (message.type === 'ping') port?.postMessage(store.deliveriesOf(message.ids));
  if (message.type === 'share') port?.postMessage(shares.take(message.id));
  if (message.type === 'replace') event.waitUntil(streamLock.settled().then(takeOver));
  if (message.type === 'claim') event.waitUntil(scope.clients.claim());
});

scope.addEventListener('fetch', (event) => {
  const share = shares.handle(event.request);
  if (share) {
    event.respondWith(share.answer);
    event.waitUntil(share.over);
    return;
  }
  const answer = handler.handle(event.request) ?? offline.handle(event.request);
  if (answer !== null) event.respondWith(answer);
});
