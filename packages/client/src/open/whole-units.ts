import type { Bytes } from '@satchel/container/format';
import type { FileProof } from '@satchel/container/proof';
import { AppError } from '@satchel/contract/errors';
import { type OpenDeps, openRange } from './open-range.ts';
import type { StoredFile } from './fetch-stored.ts';
import type { ProvenFile } from './open-proven.ts';

/** A file that is opened from its beginning. */
interface Begun extends StoredFile, Pick<ProvenFile, 'decoded' | 'plaintext'> {
  readonly proof: FileProof;
}

/** The plaintext of a sealed file. After a broken connection it goes on with the rest, while tries are left. */
export async function* wholeUnits(file: Begun, deps: OpenDeps): AsyncGenerator<readonly Bytes[]> {
  const { url, name, proof, decoded, plaintext } = file;
  const { originalSize } = decoded.header;
  let at = 0;
  try {
    for await (const unit of plaintext) {
      for (const chunk of unit) at += chunk.length;
      yield unit;
    }
  } catch (error) {
    const isFinal = error instanceof AppError || deps.signal.aborted || deps.retryDelaysMs?.length === 0;
    if (isFinal || originalSize === null) throw error;
    const entry = { url, keys: proof.keys, decoded, name, type: '', sizeBytes: originalSize };
    yield* openRange(entry, at, originalSize, deps).units;
  }
}
