import { newWorker } from '../worker-addresses.ts';
import { createContentClient } from './content/content-client.ts';

/** Whether a drawing (SVG) may be drawn unasked. It is parsed beside the page's thread, and for no longer than this. */
export const WEIGHING_MAX_MS = 3000;

export interface DrawingSource {
  readonly src: string;
  /** Null for one that is not in memory, such as a plain file. */
  readonly blob: Blob | null;
}

interface DrawingScalesDeps {
  readonly createWorker: () => Worker;
  readonly fetch: (src: string) => Promise<Response>;
}

/** One worker for all drawings that are weighed at the same time, and none between. */
export function createDrawingScales({ createWorker, fetch }: DrawingScalesDeps) {
  const known = new WeakMap<Blob, Promise<boolean>>();
  let client: ReturnType<typeof createContentClient> | null = null;
  let waiting = 0;

  async function ask(blob: Blob): Promise<boolean> {
    const read = () => Promise.reject(new TypeError('a drawing comes whole'));
    client ??= createContentClient({ createWorker, read, giveUpMs: WEIGHING_MAX_MS });
    waiting += 1;
    try {
      return (await client.ask('drawing', { blob })).isHeavy;
    } catch {
      // What takes too long to weigh takes too long to draw.
      return true;
    } finally {
      waiting -= 1;
      if (waiting === 0) {
        client?.end();
        client = null;
      }
    }
  }

  return {
    /** True for a drawing that would stop the page, or can't be weighed in time. @throws what fetching does */
    async isHeavy({ src, blob: given }: DrawingSource): Promise<boolean> {
      const blob = given ?? (await (await fetch(src)).blob());
      const asked = known.get(blob) ?? ask(blob);
      known.set(blob, asked);
      return asked;
    },
  };
}

const scales = createDrawingScales({ createWorker: () => newWorker('content'), fetch: (src) => fetch(src) });

export const isHeavyDrawing = scales.isHeavy;
