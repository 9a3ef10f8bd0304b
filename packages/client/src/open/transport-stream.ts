import { extensionOf } from '@satchel/contract/naming';

/**
 * MPEG transport streams and programs in TypeScript share the endings .ts and .mts. Operating systems derive the type from
 * the ending alone: macOS and Windows say a stream, Linux says a translation of Qt.
 */

/** Systems give types in lower case, so this spelling, which is IANA's, marks a file whose bytes were checked. */
const STREAM_TYPE = 'video/MP2T';
const TEXT_TYPE = 'text/plain';
const BY_ENDING = /^(|video\/mp2t|text\/vnd\.trolltech\.linguist)$/;
const isInDoubt = (name: string, type: string): boolean => /^m?ts$/.test(extensionOf(name)) && BY_ENDING.test(type);

/** A packet, and one with its time before it, as cameras and Blu-ray write it. */
const PACKET_BYTES = [188, 192] as const;
const SYNC_BYTE = 0x47;
const SYNCS = 5;
const LEAST_STREAM_BYTES = 64 * 1024;
const LARGEST_TEXT_BYTES = 8 * 1024 ** 2;

/** The type of a file whose bytes are not at hand: a stream consists of whole packets, or is larger than any program. */
export function settledType(name: string, type: string, sizeBytes: number): string {
  if (!isInDoubt(name, type)) return type;
  const isWhole = sizeBytes >= LEAST_STREAM_BYTES && PACKET_BYTES.some((packet) => sizeBytes % packet === 0);
  return isWhole || sizeBytes > LARGEST_TEXT_BYTES ? STREAM_TYPE : TEXT_TYPE;
}

/** Whether packets follow each other. A recording may begin in the middle of a packet. */
function isStream(head: Uint8Array): boolean {
  return PACKET_BYTES.some((packet) => {
    for (let first = 0; first < packet; first += 1) {
      const syncs = Array.from({ length: SYNCS }, (_, index) => head[first + index * packet]);
      if (syncs.every((byte) => byte === SYNC_BYTE)) return true;
    }
    return false;
  });
}

/** The type of a chosen file. Where the ending is ambiguous, the first bytes decide. */
export async function readType(file: File): Promise<string> {
  if (!isInDoubt(file.name, file.type)) return file.type;
  const head = await file.slice(0, PACKET_BYTES[1] * SYNCS).arrayBuffer();
  return isStream(new Uint8Array(head)) ? STREAM_TYPE : TEXT_TYPE;
}
