import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Append, BlobParts, BlobStore, BlobWriter } from '../../src/platform/blobs/blobs.ts';
import type { Db } from '../../src/platform/database/db.ts';

/** Failures at awkward moments, as a crash or a full disk causes them. */

/** Where it fails: at an operation of the store, before a transaction commits, or after its commit. */
export const FAULTS = ['put', 'append', 'write', 'sync', 'delete', 'rollback', 'commit'] as const;
export type Fault = (typeof FAULTS)[number];

export class FaultError extends Error {
  override readonly name = 'FaultError';
}

/** `inTransaction` calls this, so that a test can fail or count it. */
export const transactionsOf = (db: Db) => db as unknown as Pick<PgDatabase<PgQueryResultHKT>, 'transaction'>;

/** Makes the store and the database fail on demand. */
export function createFaults(blobs: BlobStore, db: Db) {
  let next: { readonly fault: Fault; left: number } | null = null;

  /** True the `left`-th time that a fault could strike; later calls succeed again. */
  function strikes(fault: Fault): boolean {
    if (next?.fault !== fault) return false;
    next.left -= 1;
    if (next.left >= 0) return false;
    next = null;
    return true;
  }
  async function before<Result>(fault: Fault, act: () => Promise<Result>): Promise<Result> {
    if (strikes(fault)) throw new FaultError(fault);
    return act();
  }

  const real = { ...blobs };
  const wrapped = (writer: BlobWriter): BlobWriter => ({
    ...writer,
    write: (chunks) => before('write', () => writer.write(chunks)),
    sync: (toBytes) => before('sync', () => writer.sync(toBytes)),
  });
  Object.assign(blobs, {
    put: (blobKey: string, chunks: readonly Uint8Array[]) => before('put', () => real.put(blobKey, chunks)),
    append: (where: Append) => before('append', async () => wrapped(await real.append(where))),
    async delete(some: readonly BlobParts[]) {
      const struck = some.filter(() => strikes('delete'));
      const failed = await real.delete(some.filter((blob) => !struck.includes(blob)));
      return new Map([...failed, ...struck.map(({ blobKey }) => [blobKey, new FaultError('delete')] as const)]);
    },
  });
  const { transaction } = transactionsOf(db);
  const begin = transaction.bind(db);
  Object.assign(db, {
    async transaction<Result>(act: Parameters<typeof transaction<Result>>[0]): Promise<Result> {
      const result = await begin(async (tx) => {
        const done = await act(tx);
        if (strikes('rollback')) throw new FaultError('rollback');
        return done;
      });
      if (strikes('commit')) throw new FaultError('commit');
      return result;
    },
  });

  return {
    /** The next fault of this kind strikes after `skip` calls that succeed. */
    arm: (fault: Fault, skip: number) => {
      next = { fault, left: skip };
    },
    disarm: () => {
      next = null;
    },
  };
}
