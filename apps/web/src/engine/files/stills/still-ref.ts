import type { FolderPlace } from '@satchel/client/folders/list-files';
import type { FolderKeys } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import type { StillSize } from '@satchel/contract/wire/still-frames';

/** The still of one file: where it lies, and what it opens with. */
export interface StillRef {
  /** The same for the same still. */
  readonly key: string;
  readonly place: FolderPlace;
  /** The stored name. */
  readonly name: string;
  /** What binds a sealed still; null in a plain folder. */
  readonly seal: { readonly keys: FolderKeys; readonly header: string } | null;
}

/** Names a still: a container by its header, a plain file by its stored name alone. */
export const stillKey = ({ bucket, storagePath }: FolderPlace, name: string, header: string | null): string =>
  JSON.stringify([bucket, storagePath, name, header]);

export interface Listing {
  readonly place: FolderPlace;
  /** Whether the folder is an encrypted one for this page: then a still needs a proof that binds. */
  readonly encrypted: boolean;
  readonly proof: FileProof | null;
}

/** The still that a listed file may have, whether or not the server says so; null where nothing could bind it. */
export function stillRef({ name }: FileEntry, { place, encrypted, proof }: Listing): StillRef | null {
  if (!encrypted) return { key: stillKey(place, name, null), place, name, seal: null };
  if (!proof) return null;
  const { keys, header } = proof;
  return { key: stillKey(place, name, header), place, name, seal: { keys, header } };
}

/** A file's still as a page shows it. The same object as long as nothing of it changes. */
export interface FileStill {
  /** Null until the code is here that asks for it: the list alone says that there is one. */
  readonly ref: StillRef | null;
  /** The largest that is here; null for none yet. */
  readonly url: string | null;
}

export interface StillRequest {
  readonly place: FolderPlace;
  readonly size: StillSize;
  readonly refs: readonly StillRef[];
}
