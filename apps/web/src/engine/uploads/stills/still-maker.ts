import type { MadeStill } from './encode-still.ts';
import { type StillKind, stillKind } from './still-kind.ts';

/** Makes stills of local files, one at a time and when there is nothing better to do. Failing to make one is no error. */

export interface StillMakerDeps {
  /** @throws when the file can't be drawn, or the signal's reason */
  readonly draw: (kind: StillKind, file: File, signal: AbortSignal) => Promise<MadeStill>;
  /** Resolves when the page has nothing to do. */
  readonly whenIdle: () => Promise<unknown>;
  /** Whether files are being sealed and sent. */
  readonly isBusy: () => boolean;
  readonly sleep: (delayMs: number) => Promise<void>;
  readonly nowMs: () => number;
}

/** A file that takes longer gets no still. */
const GIVE_UP_MS = 15_000;
/** While files are being sent, making stills rests for this multiple of the last one's time. */
const REST_TIMES = 3;
const REST_MAX_MS = 5000;

interface Job {
  readonly file: File;
  readonly kind: StillKind;
  /** How many wait for it. */
  waiting: number;
  readonly made: PromiseWithResolvers<MadeStill | null>;
}

export type StillMaker = ReturnType<typeof createStillMaker>;

export function createStillMaker({ draw, whenIdle, isBusy, sleep, nowMs }: StillMakerDeps) {
  const jobs = new Map<File, Job>();
  /** What was made, as long as its file is on a list; null where nothing can be made. */
  const kept = new WeakMap<File, MadeStill | null>();
  /** After a still was sent, only the small picture that a row shows. */
  const sent = new WeakMap<File, Blob>();
  let isMaking = false;
  let drawing: Job | null = null;

  async function run(job: Job): Promise<void> {
    const { file, kind, made } = job;
    drawing = job;
    const still = await draw(kind, file, AbortSignal.timeout(GIVE_UP_MS)).catch(() => null);
    kept.set(file, still);
    jobs.delete(file);
    drawing = null;
    made.resolve(still);
  }

  async function makeAll(): Promise<void> {
    if (isMaking) return;
    isMaking = true;
    for (;;) {
      await whenIdle();
      const [next] = jobs.values();
      if (!next) break;
      const beganMs = nowMs();
      await run(next);
      if (isBusy()) await sleep(Math.min(REST_MAX_MS, REST_TIMES * (nowMs() - beganMs)));
    }
    isMaking = false;
  }

  function jobOf(file: File, kind: StillKind): Job {
    const job = jobs.get(file) ?? { file, kind, waiting: 0, made: Promise.withResolvers<MadeStill | null>() };
    jobs.set(file, job);
    return job;
  }

  async function make(file: File, signal?: AbortSignal): Promise<MadeStill | null> {
    const known = kept.get(file);
    const kind = stillKind(file);
    if (known !== undefined || kind === null) return known ?? null;
    const job = jobOf(file, kind);
    job.waiting += 1;
    const leave = () => {
      job.waiting -= 1;
      // One that is being drawn is finished: the file's sending, which begins when its row goes, takes it.
      if (job.waiting > 0 || job === drawing || jobs.get(file) !== job) return;
      jobs.delete(file);
      job.made.resolve(null);
    };
    signal?.addEventListener('abort', leave, { once: true });
    void makeAll();
    return job.made.promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  return {
    /** A file's still; null where none can be made. The large one is not kept for a second time. */
    async take(file: File): Promise<MadeStill | null> {
      const still = await make(file);
      if (still) {
        kept.delete(file);
        sent.set(file, still.small);
      }
      return still;
    },
    /**
     * The small size of a file's still; null where none can be made.
     * @param signal gives up the wait: what waits for no more than this is not made
     */
    small: async (file: File, signal: AbortSignal): Promise<Blob | null> =>
      sent.get(file) ?? (await make(file, signal))?.small ?? null,
  };
}
