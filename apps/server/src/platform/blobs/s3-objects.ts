import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@satchel/contract/errors';
import { BlobMissingError, type ByteRange } from './blobs.ts';
import type { Credentials } from './direct/presign.ts';
import type { S3Settings } from './s3-settings.ts';

/**
 * The calls to an S3-compatible store: each with timeouts, and tried again when its answer is lost. A person waits for most of
 * them, so that their tries end together: a store that is silent is answered with 503 after ten seconds.
 */

const CONNECT_MS = 3000;
/** How long an answer may take to begin, and its bytes may pause. */
const ANSWER_MS = 5000;
/** Bytes on their way to the store take longer: 15 seconds for a part of 8 MiB. */
const SENT_BYTES_PER_MS = 840;
/** Many objects in one deletion do, too: 15 seconds for a thousand. */
const DELETE_MS = 10;
/** All tries of one call together take at most this many times what one may take. */
const TRIES_LAST = 2;
/** Lists, which only sweeps and commands wait for. */
const LIST_ANSWER_MS = 15_000;
const ATTEMPTS = 4;
const SOCKETS = 64;
const READ_ATTEMPTS = 3;
const READ_PAUSE_MS = 200;
/** The most that S3 deletes in one request. */
const DELETE_MAX = 1000;
const RETRY_AFTER_SECONDS = 2;
const FULL = new Set(['QuotaExceeded', 'EntityTooLarge', 'InsufficientStorage', 'InsufficientCapacity']);
const MISSING = new Set(['NoSuchKey', 'NotFound', 'InvalidRange']);

interface ServiceError {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const codeOf = (error: unknown): string => (error as ServiceError | null)?.name ?? '';
const statusOf = (error: unknown): number | undefined => (error as ServiceError | null)?.$metadata?.httpStatusCode;

/** The answer to a sender whose bytes the store did not take. */
export function refusalOf(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (FULL.has(codeOf(error)) || statusOf(error) === 507) return new AppError('storage.full', {}, { cause: error });
  return new AppError('request.unavailable', { retry_after_seconds: RETRY_AFTER_SECONDS }, { cause: error });
}

function missingOr(error: unknown): unknown {
  const isMissing = MISSING.has(codeOf(error)) || statusOf(error) === 404 || statusOf(error) === 416;
  return isMissing ? new BlobMissingError('No such object', { cause: error }) : error;
}

export interface S3Object {
  readonly key: string;
  readonly sizeBytes: number;
  readonly ageMs: number;
}

export interface S3Objects {
  /** @throws storage.full, request.unavailable */
  put(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** @throws BlobMissingError also when the object ends before the range; request.unavailable */
  get(key: string, range: ByteRange, signal?: AbortSignal): Promise<Buffer<ArrayBuffer>>;
  /** @throws BlobMissingError, request.unavailable */
  sizeOf(key: string): Promise<number>;
  /** @returns reasons of failed deletions, by key */
  delete(keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  list(prefix: string): AsyncGenerator<S3Object>;
  /** @returns why the bucket can't be used, or null */
  problem(): Promise<string | null>;
  place(): Promise<S3Place>;
}

/** Where the objects are, for requests that others make. */
export interface S3Place {
  readonly bucket: string;
  /** Before the names of objects; ends with a slash. */
  readonly baseUrl: string;
  readonly region: string;
  /** The present credentials: the SDK renews the ones of a role. */
  readonly credentials: () => Promise<Credentials>;
}

/** The answer to a reader: what is missing is told from a store that has to be asked later. */
function readFailure(error: unknown): unknown {
  const cause = missingOr(error);
  return cause instanceof BlobMissingError ? cause : refusalOf(cause);
}

/** Reads a body into memory. */
async function collect(body: Readable, bytes: number, pauseMs: number): Promise<Buffer<ArrayBuffer>> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  const pause = setTimeout(() => body.destroy(new Error('The store paused in an answer')), pauseMs);
  try {
    for await (const chunk of body) {
      if (at + chunk.length > bytes) throw new Error('The store sent more than was asked for');
      buffer.set(chunk, at);
      at += chunk.length;
      pause.refresh();
    }
  } finally {
    clearTimeout(pause);
  }
  if (at < bytes) throw new Error('The store sent less than it said');
  return buffer;
}

/** The time of one call, for its tries. */
interface Tries {
  /** How long an answer may take to begin. */
  readonly answerMs: number;
  /** When they are over, by `performance.now()`. */
  readonly untilMs: number;
}

function triesOf(answerMs: number): Tries {
  return { answerMs, untilMs: performance.now() + answerMs * TRIES_LAST };
}

/** Ends a call when the time of its tries is over before an answer begins, also while the SDK waits between two of them. */
async function inTime<Answer>(
  { answerMs, untilMs }: Tries,
  signal: AbortSignal | undefined,
  call: (options: { readonly abortSignal: AbortSignal; readonly requestTimeout: number }) => Promise<Answer>,
): Promise<Answer> {
  const ending = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      const error = new Error('The store did not answer in time');
      ending.abort(error);
      late.reject(error);
    },
    Math.max(0, untilMs - performance.now()),
  );
  const abortSignal = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  try {
    return await Promise.race([call({ abortSignal, requestTimeout: answerMs }), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The SDK is loaded here: a site on a disk has no use for its memory.
 * @param answerMs how long an answer to a short request may take to begin, and how long its bytes may pause
 */
export async function createS3Objects(settings: S3Settings, answerMs = ANSWER_MS): Promise<S3Objects> {
  const { bucket, endpoint, region, isPathStyle, credentials } = settings;
  const s3 = await import('@aws-sdk/client-s3');
  const client = new s3.S3Client({
    region,
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
    forcePathStyle: isPathStyle,
    maxAttempts: ATTEMPTS,
    // Every request is signed with the hash of its body, which every store checks; the further checksums of Amazon are
    // refused by some.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: LIST_ANSWER_MS,
      socketTimeout: LIST_ANSWER_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS, keepAlive: true },
      httpsAgent: { maxSockets: SOCKETS, keepAlive: true },
    },
  });

  async function getOnce(key: string, range: ByteRange, tries: Tries, signal?: AbortSignal) {
    const { start, end } = range;
    const command = new s3.GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=${start}-${end - 1}` });
    const answer = await inTime(tries, signal, (options) => client.send(command, options));
    const bytes = Number(answer.ContentLength);
    const body = answer.Body as Readable;
    if (bytes !== end - start) {
      body.destroy();
      throw new BlobMissingError('The object ends early');
    }
    return collect(body, bytes, answerMs);
  }

  /** The SDK tries again until an answer begins; a body that breaks off is asked for again here. */
  async function get(key: string, range: ByteRange, signal?: AbortSignal): Promise<Buffer<ArrayBuffer>> {
    if (range.end === range.start) return Buffer.alloc(0);
    const tries = triesOf(answerMs);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await getOnce(key, range, tries, signal);
      } catch (error) {
        const cause = readFailure(error);
        const pauseMs = READ_PAUSE_MS * attempt;
        const isOver = attempt === READ_ATTEMPTS || performance.now() + pauseMs >= tries.untilMs;
        if (cause instanceof BlobMissingError || signal?.aborted || isOver) throw cause;
        await sleep(pauseMs);
      }
    }
  }

  async function deleteSome(keys: readonly string[]): Promise<[string, unknown][]> {
    try {
      const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
      const command = new s3.DeleteObjectsCommand({ Bucket: bucket, Delete });
      const tries = triesOf(answerMs + keys.length * DELETE_MS);
      const { Errors = [] } = await inTime(tries, undefined, (options) => client.send(command, options));
      const failed = Errors.filter(({ Code }) => !MISSING.has(Code ?? ''));
      return failed.map(({ Key = '', Code, Message }) => [Key, new Error(`${Code}: ${Message}`)]);
    } catch (error) {
      return keys.map((key) => [key, error]);
    }
  }

  async function sizeOf(key: string): Promise<number> {
    const command = new s3.HeadObjectCommand({ Bucket: bucket, Key: key });
    const head = await inTime(triesOf(answerMs), undefined, (options) => client.send(command, options)).catch(
      (error: unknown) => {
        throw readFailure(error);
      },
    );
    return Number(head.ContentLength);
  }

  return {
    async put(key, bytes, signal) {
      const command = new s3.PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: bytes,
        ContentLength: bytes.length,
      });
      const tries = triesOf(answerMs + bytes.length / SENT_BYTES_PER_MS);
      await inTime(tries, signal, (options) => client.send(command, options)).catch((error: unknown) => {
        throw refusalOf(error);
      });
    },
    get,
    sizeOf,
    async delete(keys) {
      const failed: [string, unknown][] = [];
      for (let from = 0; from < keys.length; from += DELETE_MAX) {
        failed.push(...(await deleteSome(keys.slice(from, from + DELETE_MAX))));
      }
      return new Map(failed);
    },
    async *list(prefix) {
      for (let ContinuationToken: string | undefined; ; ) {
        const page = await client.send(
          new s3.ListObjectsV2Command({
            Bucket: bucket,
            Prefix: prefix,
            ...(ContinuationToken && { ContinuationToken }),
          }),
        );
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          yield { key: Key, sizeBytes: Size, ageMs: Date.now() - (LastModified?.getTime() ?? Date.now()) };
        }
        ContinuationToken = page.NextContinuationToken;
        if (!page.IsTruncated || ContinuationToken === undefined) return;
      }
    },
    async place() {
      // Only the SDK knows the host names of Amazon's regions: it makes a request, which is not sent.
      const command = new s3.HeadBucketCommand({ Bucket: bucket });
      let baseUrl = '';
      command.middlewareStack.add(
        () => async (args) => {
          const { protocol, hostname, port, path } = args.request as {
            protocol: string;
            hostname: string;
            port?: number;
            path: string;
          };
          baseUrl = `${protocol}//${hostname}${port ? `:${port}` : ''}${path.replace(/\/*$/, '/')}`;
          return { response: {}, output: { $metadata: {} } };
        },
        { step: 'build', name: 'notSent', priority: 'high' },
      );
      await client.send(command);
      return { bucket, baseUrl, region: await client.config.region(), credentials: client.config.credentials };
    },
    async problem() {
      try {
        const command = new s3.HeadBucketCommand({ Bucket: bucket });
        await inTime(triesOf(answerMs), undefined, (options) => client.send(command, options));
      } catch (error) {
        const status = statusOf(error);
        if (status === 404) return `there is no bucket ${bucket}`;
        if (status === 403 || status === 401) return `the store refuses these credentials for the bucket ${bucket}`;
        return `the store does not answer as S3 does (${codeOf(error) || 'no answer'})`;
      }
      try {
        const { Status } = await client.send(new s3.GetBucketVersioningCommand({ Bucket: bucket }));
        return Status === undefined
          ? null
          : `the bucket ${bucket} keeps versions: deleted files would stay. Use a bucket that never had versioning`;
      } catch (error) {
        // Stores without versions say so in this way.
        if (statusOf(error) === 501 || codeOf(error) === 'NotImplemented') return null;
        return `the store does not tell whether the bucket ${bucket} keeps versions (${codeOf(error)})`;
      }
    },
  };
}
