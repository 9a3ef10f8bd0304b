import type { Delivery } from '@satchel/client/open/delivery-stream';
import { serviceWorkers } from '../../lib/base/device.ts';
import { workerAddress } from '../worker-addresses.ts';
import type { Offer, PageMessage, WorkerMessage } from './media-protocol.ts';
import { openingClient } from './opening/opening-client.ts';

/** The page's side of the service worker: registration, questions and answers. */

const READY_MS = 10_000;
const CLAIM_MS = 3000;
const ANSWER_MS = 5000;

/** This page's offers, to repeat to a worker that the browser ended in between. */
const entries = new Map<string, Offer>();
const deliveryListeners = new Map<string, (delivery: Delivery) => void>();
let registering: Promise<ServiceWorker | null> | null = null;

const within = <T>(promise: Promise<T>, limitMs: number): Promise<T | null> =>
  Promise.race([promise, new Promise<null>((resolve) => setTimeout(resolve, limitMs, null))]);

/** The browser ended the service worker, and with it the line to the opening worker. */
function repeatOffer(id: string, answer: MessagePort | undefined): void {
  const offer = entries.get(id);
  if (offer) answer?.postMessage(offer, [openingClient.portFor(id, offer)]);
  else answer?.postMessage(null);
}

function listen({ data, ports }: MessageEvent<WorkerMessage>): void {
  if (data.type === 'need') repeatOffer(data.id, ports[0]);
  if (data.type === 'delivery') deliveryListeners.get(data.id)?.(data.delivery);
}

async function register(): Promise<ServiceWorker | null> {
  const container = serviceWorkers();
  if (!container) return null;
  try {
    container.addEventListener('message', listen);
    container.startMessages();
    await container.register(workerAddress('media'), { scope: '/', updateViaCache: 'none' });
    const registration = await within(container.ready, READY_MS);
    registration?.waiting?.postMessage({ type: 'replace' } satisfies PageMessage);
    if (container.controller || !registration?.active) return container.controller;
    // A page that was reloaded past its worker (Shift + reload) asks to be taken over.
    const claimed = new Promise((resolve) => container.addEventListener('controllerchange', resolve, { once: true }));
    registration.active.postMessage({ type: 'claim' } satisfies PageMessage);
    await within(claimed, CLAIM_MS);
    return container.controller;
  } catch {
    // Private windows and closed storage have no workers. Files are then opened whole, with a limit shown to the person.
    return null;
  }
}

/**
 * Starts the service worker that hands out opened files, and waits until it serves this page. Null where there is none.
 */
export async function mediaWorker(): Promise<ServiceWorker | null> {
  registering ??= register();
  const worker = await registering;
  if (worker === null) registering = null;
  return worker === null ? null : (serviceWorkers()?.controller ?? worker);
}

function ask<T>(worker: ServiceWorker, message: PageMessage, ports: readonly MessagePort[] = []): Promise<T | null> {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<T>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<T>) => resolve(data);
  });
  worker.postMessage(message, [port2, ...ports]);
  return within(answer, ANSWER_MS).finally(() => port1.close());
}

/**
 * Offers a file or zip to the worker.
 * @returns the id to ask for under /media/ or /dl/, or null when the worker did not take it
 */
export async function offerEntry(
  worker: ServiceWorker,
  entry: Offer,
  onDelivery: (delivery: Delivery) => void,
): Promise<string | null> {
  const id = crypto.randomUUID();
  entries.set(id, entry);
  deliveryListeners.set(id, onDelivery);
  const taken = await ask<boolean>(worker, { type: 'add', id, entry }, [openingClient.portFor(id, entry)]);
  // No answer is no refusal: the worker asks for the entry when it needs it.
  if (taken !== false) return id;
  await withdrawEntry(id);
  return null;
}

/** Ends an offer: its address answers 404 from now on. */
export async function withdrawEntry(id: string): Promise<void> {
  entries.delete(id);
  deliveryListeners.delete(id);
  openingClient.remove(id);
  serviceWorkers()?.controller?.postMessage({ type: 'drop', id } satisfies PageMessage);
}

/** The files that another app has shared under this id, once; null when the worker has none. */
export async function takeShare(id: string): Promise<readonly File[] | null> {
  const worker = await mediaWorker();
  return worker && ask<readonly File[] | null>(worker, { type: 'share', id });
}

/** Ends a download that is on its way. */
export function cancelDelivery(id: string): void {
  serviceWorkers()?.controller?.postMessage({ type: 'cancel', id } satisfies PageMessage);
}

/**
 * Keeps the worker alive, for browsers end an idle one in the middle of a download, and asks how far a file is.
 * @returns null when the worker knows nothing of it; undefined when it did not answer
 */
export async function pingDelivery(id: string): Promise<Delivery | null | undefined> {
  const worker = serviceWorkers()?.controller;
  if (!worker) return undefined;
  const answer = await ask<(Delivery | null)[]>(worker, { type: 'ping', ids: [id] });
  return answer === null ? undefined : (answer[0] ?? null);
}
