import { encodeBase64Url } from '@satchel/container/base64url';

/** The last segment of the object's path, to which its label is bound. */
export const storedNameIn = (objectName: string): string => objectName.slice(objectName.lastIndexOf('/') + 1);

export interface FileIdentity {
  readonly userId: string;
  readonly folderId: string;
  readonly path: string;
  readonly file: Pick<File, 'size' | 'lastModified' | 'type'>;
}

async function hashOf(parts: readonly (string | number)[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(parts)));
  return encodeBase64Url(new Uint8Array(digest));
}

/**
 * Tells files apart by hashes, so that no file name stays on the device. `place` is the account, the folder, and the
 * file's name (with the path below the directory that was chosen, if one was); `fingerprint` adds size, time of change,
 * and type, so that it changes when the file does.
 */
export async function identify(identity: FileIdentity): Promise<{ place: string; fingerprint: string }> {
  const { userId, folderId, path, file } = identity;
  const place = [userId, folderId, path];
  const [placeHash, fingerprint] = await Promise.all([
    hashOf(place),
    hashOf([...place, file.size, file.lastModified, file.type]),
  ]);
  return { place: placeHash, fingerprint };
}
