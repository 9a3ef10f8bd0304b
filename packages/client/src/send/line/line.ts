import type { Bytes } from '../ports.ts';

/** What takes the windows of an upload to the server, one after the other. */
export interface Line {
  /** Resolves once windows may be sent. @throws Unreached */
  opened(): Promise<void>;
  /**
   * Takes the next window. The server need not have its bytes when this resolves.
   * @param onFree its buffer is free
   * @throws Cut, AttemptFailed
   */
  send(bytes: Bytes, onFree: () => void): Promise<void>;
  /** Resolves once the server has everything. @throws Cut, AttemptFailed */
  ended(): Promise<void>;
  close(): void;
}

export interface LineDeps {
  readonly signal: AbortSignal;
  /** Hears how many bytes of the upload have left this device, as far as can be said. */
  readonly onProgress: (bytes: number) => void;
  /** Hears up to where the server has made the upload durable. */
  readonly onAcknowledged: (offset: number) => void;
}

/** The way was closed from the beginning: a proxy or a filter refuses it, or there is no server. */
export class Unreached extends Error {}
/** The way was open and broke. */
export class Cut extends Error {}
