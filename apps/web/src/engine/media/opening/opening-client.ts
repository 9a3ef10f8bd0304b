import { newWorker } from '../../worker-addresses.ts';
import type { Offer } from '../media-protocol.ts';
import type { OpeningOrder } from './opening-protocol.ts';

/** The page's side of the opening worker: it runs while this page has offers. */

/** A viewer that goes from film to film starts one worker, not one each. */
const IDLE_MS = 5000;

/** Starts the opening worker with the first offer, and ends it after the last. */
export function createOpeningClient(createWorker: () => Worker) {
  const offers = new Set<string>();
  let worker: Worker | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function end(): void {
    worker?.terminate();
    worker = null;
  }

  function started(): Worker {
    if (worker) return worker;
    const made = createWorker();
    made.onerror = (event) => {
      // It could not be loaded, or ran out of memory. The service worker continues alone; the next offer gets a new one.
      event.preventDefault();
      if (worker === made) end();
    };
    worker = made;
    return made;
  }

  return {
    /** A port for the service worker on which it asks the opening worker for this offer's bytes. */
    portFor(id: string, offer: Offer): MessagePort {
      clearTimeout(timer);
      offers.add(id);
      const { port1, port2 } = new MessageChannel();
      started().postMessage({ offer } satisfies OpeningOrder, [port1]);
      return port2;
    },
    /** The offer has ended. */
    remove(id: string): void {
      if (!offers.delete(id) || offers.size > 0) return;
      clearTimeout(timer);
      timer = setTimeout(end, IDLE_MS);
    },
  };
}

export const openingClient = createOpeningClient(() => newWorker('opening'));
