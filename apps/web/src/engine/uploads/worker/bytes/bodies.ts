import { releaseChunk } from '../../../../lib/browser/release-chunk.ts';
import { slotDirectory, slotName } from '../../log/upload-slots.ts';
import { joined } from '../../metadata/byte-reader.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What XMLHttpRequest sends. tus-js-client asks either for its `size`. */
export type SentBytes = Blob | (Bytes & { readonly size: number });

/** One request body in the making. */
export interface Body {
  write(bytes: Bytes): void;
  /** The body, to be sent before the ring comes round again. */
  finish(): Promise<SentBytes>;
  /** Gives up. */
  discard(): void;
}

export interface BodyMaker {
  open(): Promise<Body>;
  /** Makes Blobs from now on. True when slots were used until now. */
  leaveDisk(): boolean;
}

/** One is being sent, one is ready; the others give a cancelled request time to release its file. */
const SLOTS = 4;

function sentWhole(parts: readonly Bytes[]): SentBytes {
  const whole = joined(...parts);
  return Object.assign(whole, { size: whole.length });
}

function createMemoryBody(join: (parts: Bytes[]) => SentBytes): Body {
  let parts: Bytes[] = [];
  return {
    // Copied: what is written here may be a view of a much larger unit.
    write: (bytes) => parts.push(bytes.slice()),
    async finish() {
      const body = join(parts);
      // The body has a copy. A thousand small files would leave a hundred megabytes to the garbage collector.
      for (const part of parts) releaseChunk(part);
      parts = [];
      return body;
    },
    discard: () => {
      parts = [];
    },
  };
}

function createSlotBody(slot: FileSystemFileHandle, access: FileSystemSyncAccessHandle): Body {
  let at = 0;
  return {
    write(bytes) {
      const written = access.write(bytes, { at });
      if (written !== bytes.length) throw new DOMException('The slot is full', 'QuotaExceededError');
      at += written;
    },
    async finish() {
      access.close();
      return slot.getFile();
    },
    discard: () => access.close(),
  };
}

/**
 * Makes request bodies as files of a ring of slots in OPFS, and as Blobs where that is missing (CONTAINER §4: a body
 * of typed arrays is slow, a Blob of everything takes three times the file in memory). A small body is an array: Chromium's
 * main process keeps every Blob until the collector of this thread comes upon it, of an array nothing.
 * @param usesDisk false for a file that goes in one small body
 */
export function createBodyMaker(uploadId: string, usesDisk = true): BodyMaker {
  const directory = usesDisk ? slotDirectory() : Promise.resolve(null);
  let turn = 0;
  let onDisk = usesDisk;

  async function openSlot(): Promise<Body | null> {
    const home = await directory;
    if (!home || !onDisk) return null;
    const slot = await home.getFileHandle(slotName(uploadId, turn++ % SLOTS), { create: true });
    const access = await slot.createSyncAccessHandle();
    access.truncate(0);
    return createSlotBody(slot, access);
  }

  return {
    async open() {
      const body = await openSlot().catch(() => null);
      return body ?? createMemoryBody(usesDisk ? (parts) => new Blob(parts) : sentWhole);
    },
    leaveDisk() {
      const before = onDisk;
      onDisk = false;
      return before;
    },
  };
}
