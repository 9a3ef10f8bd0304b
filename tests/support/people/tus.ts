import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { Person } from './client.ts';

/** tus-js-client, unmodified, as any client would use it. */
export interface TusTarget {
  readonly url: string;
  readonly person: Person;
  readonly path: string;
}

export function tusOptions({ url, person, path }: TusTarget): UploadOptions {
  return {
    endpoint: `${url}/storage/v1/upload/resumable`,
    chunkSize: 6 * 1024 * 1024,
    retryDelays: [],
    headers: { authorization: `Bearer ${person.token}` },
    metadata: { bucketName: 'unlocked-folders', objectName: path, contentType: 'text/plain', cacheControl: '3600' },
  };
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
