import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { BlobStore, BlobWriter } from '../platform/blobs.ts';
import type { Db } from '../platform/db.ts';

/** Failures at awkward points, as the end of a process or of a disk brings them about. */

/** Where it fails: at a store's operation, before a transaction commits, or after it has, when nothing follows it. */
export const FAULTS = ['create', 'append', 'write', 'sync', 'remove', 'rollback', 'commit'] as const;
export type Fault = (typeof FAULTS)[number];

export class FaultError extends Error {
  override readonly name = 'FaultError';
}

/** What `inTransaction` calls, for a test that lets it fail or counts it. */
export const transactionsOf = (db: Db) => db as unknown as Pick<PgDatabase<PgQueryResultHKT>, 'transaction'>;

/** Lets the store and the database fail when told to. */
export function createFaults(blobs: BlobStore, db: Db) {
  let next: { readonly fault: Fault; left: number } | null = null;

  /** True the `left`-th time that a fault could strike; from then on everything goes well again. */
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
    sync: () => before('sync', () => writer.sync()),
  });
  Object.assign(blobs, {
    create: (blobKey: string) => before('create', () => real.create(blobKey)),
    append: (blobKey: string, offset: number) =>
      before('append', async () => wrapped(await real.append(blobKey, offset))),
    remove: (blobKey: string) => before('remove', () => real.remove(blobKey)),
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
    /** The next fault of this kind strikes after `skip` chances that it lets pass. */
    arm: (fault: Fault, skip: number) => {
      next = { fault, left: skip };
    },
    disarm: () => {
      next = null;
    },
  };
}
