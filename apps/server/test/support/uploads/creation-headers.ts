import { BUCKET } from '@satchel/contract/limits';

/** tus: Upload-Metadata is "one or more comma-separated key-value pairs"; "the value MUST be Base64 encoded". */
const encoded = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

/**
 * The headers that create an upload over tus.
 * @param path the file's path in the bucket
 */
export const creationHeaders = (
  path: string,
  sizeBytes: number,
  metadata: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  'upload-length': String(sizeBytes),
  'upload-metadata': encoded({ bucketName: BUCKET, objectName: path, ...metadata }),
});
