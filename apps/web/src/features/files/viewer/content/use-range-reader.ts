import { AppError } from '@satchel/contract/errors';
import { useMemo } from 'react';
import type { FileItem } from '../../../../engine/files/file-model.ts';
import type { RangeReader } from '../../../../engine/media/read-range.ts';

/** Reads ranges of a file: from memory when it is there, else from the server. */
export function useRangeReader({ id, url, entry, name, proof, opened }: FileItem): RangeReader {
  const blob = opened?.blob ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a file that is listed as another has another proof
  return useMemo(() => {
    const made = import('../../../../engine/media/read-range.ts').then(({ blobReader, createRangeReader }) => {
      if (blob) return blobReader(blob);
      if (proof === null) throw new AppError('open.foreign');
      return createRangeReader({ url, entry, name, proof });
    });
    // Its error is that of each reading.
    made.catch(() => {});
    return async (...range) => (await made)(...range);
  }, [id, proof, blob]);
}
