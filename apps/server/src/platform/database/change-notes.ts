/**
 * Which folders a transaction changed, for pages that follow them. A note counts once the transaction is committed: one
 * that is rolled back, or tried again, tells of nothing.
 */

/** The types of db.ts, which calls this module. */
type Transaction = object;
type Pool = object;
type Listener = (folderIds: readonly string[]) => void;

const notes = new WeakMap<Transaction, Set<string>>();
const listeners = new WeakMap<Pool, Listener>();

/** Notes that this transaction changes what a folder's page shows. */
export function noteChange(tx: Transaction, folderId: string): void {
  const noted = notes.get(tx) ?? new Set();
  notes.set(tx, noted.add(folderId));
}

/** Called once the transaction is committed. */
export function tellNotes(db: Pool, tx: Transaction): void {
  const noted = notes.get(tx);
  if (noted) listeners.get(db)?.([...noted]);
}

/** Has a listener told of every folder that a transaction of `db` changed. */
export function onChanges(db: Pool, listener: Listener): void {
  listeners.set(db, listener);
}
