/** What sending needs of its surroundings. A browser's worker has these, and a program for the command line others. */

export type Bytes = Uint8Array<ArrayBuffer>;

export interface HttpRequest {
  readonly method: 'POST' | 'HEAD' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One after the other. Their buffers are in use until the answer. */
  readonly body?: readonly Bytes[];
  readonly signal?: AbortSignal;
  /** Hears how many bytes of the body the network has taken. */
  readonly onProgress?: (sentBytes: number) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  header(name: string): string | null;
  readonly body: string;
}

/** The part of a WebSocket that sending uses. */
export interface Socket {
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onmessage: ((event: { readonly data: string }) => void) | null;
  send(data: string | Bytes): void;
  close(): void;
}

export interface Network {
  /** Origin of the site. */
  readonly origin: string;
  /** One request with the site's credentials. Rejects when nothing comes back, or the signal is aborted. */
  readonly request: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Null where there are no WebSockets. */
  readonly openSocket: ((url: string, protocol: string) => Socket) | null;
  /** Whether the server answers. Never rejects, and answers within ten seconds. */
  readonly isThere: () => Promise<boolean>;
}

/**
 * Takes the lock of one upload: two processes never write one upload, and an upload whose lock is free belongs to a dead one.
 * @param waitMs how long to wait for the present holder; 0 by default
 * @returns the release function, or null when the lock is held elsewhere
 */
export type HoldLock = (name: string, waitMs?: number) => Promise<(() => void) | null>;

/**
 * The write-ahead log of uploads (docs/container.md, "Resuming"): what a process that was ended or killed needs to continue,
 * and to be sure that a baseCounter never meets two contents. It holds no key and no readable file name.
 */
export interface UploadEntry {
  readonly id: string;
  /** Where it comes from and goes to, and which state of it this is: see `identify`. */
  readonly place: string;
  readonly fingerprint: string;
  /** Exactly the bytes before chunk 0, with the random baseCounter; null in a plain folder. */
  readonly prefix: Bytes | null;
  /** The stored name with the folder's path before it: tus metadata `objectName`. */
  readonly objectName: string;
  /** The label, bound to `prefix` and the stored name; null in a plain folder. */
  readonly sealed: string | null;
  /** Upload-Length. */
  readonly bytesTotal: number;
  /** Where the server takes the bytes; null until it has said so. */
  readonly url: string | null;
  readonly createdAtMs: number;
  /** When the folder expires, and this entry with it. */
  readonly expiresAtMs: number;
}

/** Every write is durable when it resolves, also against a power cut. */
export interface UploadLog {
  /** Entries of that place, newest first. */
  find(place: string): Promise<UploadEntry[]>;
  /** All entries, newest first. */
  list(): Promise<UploadEntry[]>;
  get(id: string): Promise<UploadEntry | null>;
  create(entry: UploadEntry): Promise<void>;
  setUrl(id: string, url: string): Promise<void>;
  /** Rejects when the entry was deleted. */
  appendTags(id: string, firstChunk: number, tags: Bytes): Promise<void>;
  /** The tags of chunk 0 and all that follow without a gap, 32 bytes each. */
  readTags(id: string): Promise<Bytes>;
  remove(id: string): Promise<void>;
  /** Purges the entries of expired folders. */
  purgeExpired(nowMs: number): Promise<void>;
  close(): void;
}
