import { BUCKET } from '@satchel/contract/limits';
import { PATHS } from '@satchel/contract/paths';
import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { creationHeaders } from '../../../apps/server/test/support/uploads/creation-headers.ts';
import type { Person } from './client.ts';

/** tus-js-client, unmodified, as any client would use it. */
export interface TusTarget {
  readonly url: string;
  readonly person: Person;
  readonly path: string;
}

export function tusOptions({ url, person, path }: TusTarget): UploadOptions {
  return {
    endpoint: `${url}${PATHS.resumable}`,
    chunkSize: 6 * 1024 * 1024,
    retryDelays: [],
    headers: { authorization: `Bearer ${person.token}` },
    metadata: { bucketName: BUCKET, objectName: path, contentType: 'text/plain', cacheControl: '3600' },
  };
}

/** The headers of each tus request of a person. */
export const tusHeaders = ({ token }: Pick<Person, 'token'>) => ({
  authorization: `Bearer ${token}`,
  'tus-resumable': '1.0.0',
});

export const OFFSET_BYTES = 'application/offset+octet-stream';

/** The headers of a piece of an upload. */
export const pieceHeaders = (person: Pick<Person, 'token'>, offset: number) => ({
  ...tusHeaders(person),
  'upload-offset': String(offset),
  'content-type': OFFSET_BYTES,
});

interface Creation {
  readonly metadata?: Readonly<Record<string, string>>;
  /** The whole file, in the request that creates its upload. */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Creates an upload by hand: tus-js-client would send the file, too. */
export async function createOverTus(
  { url, person, path }: TusTarget,
  sizeBytes: number,
  { metadata, body }: Creation = {},
): Promise<{ url: string; headers: Headers }> {
  const response = await fetch(`${url}${PATHS.resumable}`, {
    method: 'POST',
    headers: {
      ...tusHeaders(person),
      ...creationHeaders(path, sizeBytes, metadata),
      ...(body && { 'content-type': OFFSET_BYTES }),
    },
    body: body ?? null,
  });
  const { status, headers } = response;
  const location = headers.get('location');
  if (status !== 201 || location === null) throw new Error(`no upload: ${status} ${await response.text()}`);
  return { url: location, headers };
}

export interface Outcome {
  readonly upload: Upload;
  readonly error: DetailedError | null;
}

/** Runs an upload until it succeeds or fails. */
export function runTus(target: TusTarget, bytes: Buffer, more: Partial<UploadOptions> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const upload: Upload = new Upload(bytes, {
      ...tusOptions(target),
      ...more,
      onSuccess: () => resolve({ upload, error: null }),
      onError: (error) => resolve({ upload, error: error as DetailedError }),
    });
    upload.start();
  });
}

/** Uploads until that many bytes are acknowledged, then stops without telling the server. */
export function runTusUntil(target: TusTarget, bytes: Buffer, acknowledgedBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload: Upload = new Upload(bytes, {
      ...tusOptions(target),
      chunkSize: 1024 * 1024,
      onError: reject,
      onSuccess: () => reject(new Error('the upload finished before it could be stopped')),
      onChunkComplete: (_size, accepted) => {
        if (accepted < acknowledgedBytes) return;
        void upload.abort(false);
        resolve(upload.url ?? '');
      },
    });
    upload.start();
  });
}
