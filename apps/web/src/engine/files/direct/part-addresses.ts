import { PARTS_TYPE, type PartAddress, type PartAddresses } from '@satchel/contract/wire/direct-reads';

/** What a server says of where a file's parts are, kept for as long as it is valid. */

export interface KnownParts {
  readonly sizeBytes: number;
  readonly eTag: string;
  readonly parts: readonly PartAddress[];
  /** By `performance.now()`. */
  readonly untilMs: number;
}

/** Addresses are used for this much shorter than they are valid: a request takes a moment to arrive. */
const SPARE_MS = 5000;
/** A player reads a film by many ranges, a page plays few films. */
const KEPT = 4;

const isAddress = (part: unknown): part is PartAddress => {
  const { start, end, url } = (part ?? {}) as Partial<PartAddress>;
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) && typeof url === 'string';
};

/** @returns null for an answer that holds no addresses: its body is the file's bytes */
export async function readParts(answer: Response, askedAtMs: number): Promise<KnownParts | null> {
  if (!answer.ok || !answer.headers.get('Content-Type')?.startsWith(PARTS_TYPE)) return null;
  const { size_bytes, valid_seconds, parts } = (await answer.json()) as PartAddresses;
  if (!Number.isSafeInteger(size_bytes) || !Array.isArray(parts) || !parts.every(isAddress)) {
    throw new TypeError('Not the addresses of a file');
  }
  const untilMs = askedAtMs + valid_seconds * 1000 - SPARE_MS;
  return { sizeBytes: size_bytes, eTag: answer.headers.get('ETag') ?? '', parts, untilMs };
}

/** The part that has the byte at `position`. */
export const partAt = ({ parts }: KnownParts, position: number): PartAddress | null =>
  parts.find(({ start, end }) => start <= position && position < end) ?? null;

/** Answers of the last files that were asked for. */
export function createKnownParts() {
  const known = new Map<string, KnownParts>();
  return {
    find(url: string, position: number): KnownParts | null {
      const found = known.get(url);
      return found && found.untilMs > performance.now() && partAt(found, position) ? found : null;
    },
    keep(url: string, parts: KnownParts): void {
      known.delete(url);
      known.set(url, parts);
      const [oldest] = known.keys();
      if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    },
    drop: (url: string): void => void known.delete(url),
  };
}
