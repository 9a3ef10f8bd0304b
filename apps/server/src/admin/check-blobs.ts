import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { type SQL, sql } from 'drizzle-orm';
import { partRowsWhere, partsOfBlobs } from '../domain/files/blob-parts.ts';
import {
  type BlobPart,
  type BlobParts,
  type BlobStore,
  PREFIXES,
  partsOf,
  type StoredPart,
  WHOLE,
} from '../platform/blobs/blobs.ts';
import { type Queryable, rowsOf } from '../platform/database/db.ts';
import type { CheckResult, Finding } from './findings.ts';

/**
 * Compares rows with blobs: every file, still and open upload has its blob, and every blob has a row or an entry of the purge
 * queue.
 */

/** A row that names a blob. */
export interface BlobClaim {
  readonly blob_key: string;
  readonly of: 'file' | 'still' | 'upload' | 'removal';
  readonly id: string;
  /** Stored bytes of a file or of its still, acknowledged bytes of an upload. */
  readonly bytes: number;
  /** The CRC-32 that was made as they came. */
  readonly sum: number;
}

/** How much of the blobs is read; `hashes`: every byte, to be compared with the checksums of the rows. */
export type BlobReads = 'nothing' | 'bytes' | 'hashes';

export interface BlobCheckDeps {
  readonly db: Queryable;
  readonly blobs: BlobStore;
  /** Pause before suspects are checked again. */
  readonly pauseMs: number;
  readonly reads: BlobReads;
  /** The number of rows, or stored parts, that are read in one go; more, by the first two characters of their blobs. */
  readonly atOnce?: number;
}

/** Blob keys in one statement. */
const KEYS_BATCH = 500;
/** 256 reads of rows and store take a small site longer than all else, and cost where a store counts requests. */
const AT_ONCE = 5000;

/** Condition on a column that names a blob. */
type Which = (blobKey: SQL) => SQL;

async function claimsWhere(db: Queryable, which: Which): Promise<BlobClaim[]> {
  const isWanted = which(sql`blob_key`);
  const claims = await db.execute(sql`
    select blob_key, 'file' as of, id, size_bytes as bytes, checksum as sum from files
      where ${isWanted}
    union all select still_key, 'still', id, still_small_bytes + still_large_bytes, still_checksum from files
      where ${which(sql`still_key`)}
    union all select blob_key, 'upload', id, offset_bytes, checksum from uploads
      where completed_at is null and ${isWanted}
    union all select blob_key, 'removal', blob_key, 0, 0 from blob_removals where ${isWanted}`);
  return rowsOf<BlobClaim>(claims).map((claim) => ({ ...claim, bytes: Number(claim.bytes), sum: Number(claim.sum) }));
}

const inRange =
  (prefix: string): Which =>
  (blobKey) =>
    sql`
  ${blobKey} between ${`${prefix.padEnd(8, '0')}-0000-0000-0000-000000000000`}::uuid
    and ${`${prefix.padEnd(8, 'f')}-ffff-ffff-ffff-ffffffffffff`}::uuid`;

const keyed =
  (keys: readonly string[]): Which =>
  (blobKey) =>
    sql`${blobKey} in (${sql.join(
      keys.map((key) => sql`${key}::uuid`),
      sql`, `,
    )})`;

function problemOf({ of, id, bytes, blob_key: blob }: BlobClaim, storedBytes: number | undefined): Finding | null {
  if (of === 'removal') return null;
  if (of === 'file' || of === 'still') {
    const detail = { file: id, blob, bytes };
    if (storedBytes === undefined) return { kind: `${of}_blob_missing`, detail };
    if (storedBytes === bytes) return null;
    return { kind: `${of}_blob_size`, detail: { ...detail, stored_bytes: storedBytes } };
  }
  // A row is created before its blob. After a crash in between, no byte was acknowledged, so none is lost.
  if (bytes === 0) return null;
  if (storedBytes === undefined) {
    return { kind: 'upload_blob_missing', detail: { upload: id, blob, acknowledged_bytes: bytes } };
  }
  if (storedBytes >= bytes) return null;
  return {
    kind: 'upload_blob_short',
    detail: { upload: id, blob, acknowledged_bytes: bytes, stored_bytes: storedBytes },
  };
}

/** Findings between rows and blobs that were read at the same time. */
export function compareBlobs(claims: readonly BlobClaim[], stored: ReadonlyMap<string, number>): Finding[] {
  const findings: Finding[] = [];
  const claimed = Map.groupBy(claims, ({ blob_key }) => blob_key);
  for (const [blob, own] of claimed) {
    for (const claim of own) {
      const problem = problemOf(claim, stored.get(blob));
      if (problem) findings.push(problem);
    }
    const held = own.find(({ of }) => of !== 'removal');
    if (held && own.some(({ of }) => of === 'removal')) {
      findings.push({ kind: 'blob_queued', detail: { [held.of]: held.id, blob } });
    }
  }
  for (const [blob, stored_bytes] of stored) {
    if (!claimed.has(blob)) findings.push({ kind: 'blob_unclaimed', detail: { blob, stored_bytes } });
  }
  return findings;
}

async function listed(blobs: BlobStore, prefix: string): Promise<StoredPart[]> {
  const stored: StoredPart[] = [];
  for await (const part of blobs.list(prefix)) stored.push(part);
  return stored;
}

/** The rows of parts, by blob. */
type PartRows = ReadonlyMap<string, readonly BlobPart[]>;

/** How many bytes of a blob are there, from its start without a gap. */
function bytesFromStart(parts: readonly BlobPart[], sizes: ReadonlyMap<string, number>): number {
  for (const [index, { start, name }] of parts.entries()) {
    const end = start + (sizes.get(name) ?? 0);
    const next = parts[index + 1]?.start;
    if (next === undefined || end < next) return end;
  }
  return 0;
}

/** The bytes of blobs. Of a part that has no row, as one that a process began before it was killed, none count. */
function sizesOf(stored: readonly StoredPart[], rows: PartRows): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const [blobKey, found] of Map.groupBy(stored, ({ blob_key }) => blob_key)) {
    const named = new Map(found.map(({ name, sizeBytes }) => [name, sizeBytes]));
    sizes.set(blobKey, bytesFromStart(partsOf({ blobKey, parts: rows.get(blobKey) ?? [] }), named));
  }
  return sizes;
}

/** Sweeps look through all stored parts within a day, and delete parts that belong to nothing once they are an hour old. */
const LEFT_PARTS_GO_MS = 26 * 3_600_000;

/** Blobs of which there are parts alone, that a killed writer left, and that sweeps still have time to delete. */
function leftBlobs(stored: readonly StoredPart[], rows: PartRows): ReadonlySet<string> {
  const isLeft = ({ name, ageMs }: StoredPart) => name !== WHOLE && ageMs < LEFT_PARTS_GO_MS;
  const byBlob = [...Map.groupBy(stored, ({ blob_key }) => blob_key)];
  return new Set(byBlob.filter(([blob, parts]) => !rows.has(blob) && parts.every(isLeft)).map(([blob]) => blob));
}

/** Rows of parts of blobs that no other row names: nothing would delete them. */
function unclaimedRows(claims: readonly BlobClaim[], rows: PartRows): Finding[] {
  const claimed = new Set(claims.map(({ blob_key }) => blob_key));
  const unclaimed = [...rows.keys()].filter((blob) => !claimed.has(blob));
  return unclaimed.map((blob) => ({ kind: 'parts_unclaimed', detail: { blob } }));
}

/** Whether a row still names the same blob: an upload that replaces a file gives its row another one. */
const isSameClaim = (one: BlobClaim, other: BlobClaim): boolean =>
  one.of === other.of && one.id === other.id && one.blob_key === other.blob_key;

/**
 * Checks suspicious blobs again, since a running server changes rows and blobs between two reads. Rows are read before and
 * after the blobs: a row found both times existed while its blob was missing. A row is created before its blob and deleted
 * after it, so a blob without a row in either read has no owner.
 */
async function checkAgain({ db, blobs }: BlobCheckDeps, keys: readonly string[]) {
  const findings: Finding[] = [];
  let left_blobs = 0;
  for (let from = 0; from < keys.length; from += KEYS_BATCH) {
    const some = keys.slice(from, from + KEYS_BATCH);
    const before = await claimsWhere(db, keyed(some));
    const rows = await partsOfBlobs(db, some);
    const stored: StoredPart[] = [];
    for (const key of some) stored.push(...(await listed(blobs, key)));
    const sizes = sizesOf(stored, rows);
    const after = await claimsWhere(db, keyed(some));
    const rowsAfter = await partsOfBlobs(db, some);
    const leftOnes = leftBlobs(stored, rows);
    const ofNothing = compareBlobs(before, sizes).filter(({ kind }) => kind === 'blob_unclaimed');
    const unclaimed = ofNothing.filter(({ detail }) => !leftOnes.has(String(detail.blob)));
    left_blobs += ofNothing.length - unclaimed.length;
    // The bytes that were acknowledged before the blobs were read must be there.
    const lasting = before.filter((claim) => after.some((later) => isSameClaim(claim, later)));
    const ofRows = compareBlobs(lasting, sizes).filter(({ kind }) => kind !== 'blob_unclaimed');
    const left = unclaimedRows(before, rows).filter(({ detail }) => rowsAfter.has(String(detail.blob)));
    findings.push(...unclaimed, ...ofRows, ...left);
  }
  return { findings, left_blobs };
}

/** @returns the checksum of the bytes; null for a missing or short blob, which is another finding */
async function readToEnd(blobs: BlobStore, blobParts: BlobParts, sizeBytes: number): Promise<number | null> {
  const blob = await blobs.open(blobParts, sizeBytes).catch(() => null);
  if (!blob) return null;
  let sum = 0;
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      sum = crc32(chunk, sum);
      done();
    },
  });
  try {
    await blob.send({ start: 0, end: sizeBytes }, sink);
    return sum;
  } finally {
    await blob.close();
  }
}

/** Reads the bytes of a row. If the row was deleted during the read, the missing bytes are no fault. */
async function findingOfBytes(
  { db, blobs, reads }: BlobCheckDeps,
  claim: BlobClaim,
  parts: readonly BlobPart[],
): Promise<Finding | null> {
  const { blob_key: blob, of, id, bytes, sum } = claim;
  if (of === 'removal') return null;
  const changed: Finding = { kind: `${of}_blob_changed`, detail: { [of === 'still' ? 'file' : of]: id, blob } };
  const unreadable: Finding = { kind: 'blob_unreadable', detail: { [of]: id, blob } };
  const finding = await readToEnd(blobs, { blobKey: blob, parts }, bytes).then(
    (found) => (reads !== 'hashes' || found === null || found === sum ? null : changed),
    () => unreadable,
  );
  if (finding === null) return null;
  const now = await claimsWhere(db, keyed([blob]));
  return now.some((other) => other.of === of && other.id === id) ? finding : null;
}

async function areFewRows(db: Queryable, atOnce: number): Promise<boolean> {
  const countOf = (rows: SQL) => sql`(select count(*) from (select from ${rows} limit ${atOnce + 1}) as first)`;
  const counted =
    await db.execute(sql`select ${countOf(sql`files`)} + ${countOf(sql`uploads where completed_at is null`)}
    + ${countOf(sql`blob_removals`)} + ${countOf(sql`blob_parts`)} as count`);
  return Number(rowsOf<{ count: string }>(counted)[0]?.count) <= atOnce;
}

async function areFewStored(blobs: BlobStore, atOnce: number): Promise<boolean> {
  let count = 0;
  for await (const _ of blobs.list('')) {
    count += 1;
    if (count > atOnce) return false;
  }
  return true;
}

/** What the names of the blobs of one read begin with: '' where there are few. */
async function readsOf({ db, blobs, atOnce = AT_ONCE }: BlobCheckDeps): Promise<readonly string[]> {
  return (await areFewRows(db, atOnce)) && (await areFewStored(blobs, atOnce)) ? [''] : PREFIXES;
}

export async function checkBlobs(deps: BlobCheckDeps): Promise<CheckResult> {
  const { db, blobs, pauseMs, reads } = deps;
  const checked = { files: 0, open_uploads: 0, blobs: 0 };
  let blobs_hashed = 0;
  const queued = { blob_removals: 0 };
  const suspects = new Set<string>();
  const wrong: Finding[] = [];
  for (const prefix of await readsOf(deps)) {
    const claims = await claimsWhere(db, inRange(prefix));
    const rows = await partRowsWhere(db, inRange(prefix));
    const stored = sizesOf(await listed(blobs, prefix), rows);
    const doubtful = [...compareBlobs(claims, stored), ...unclaimedRows(claims, rows)];
    for (const { detail } of doubtful) suspects.add(String(detail.blob));
    checked.blobs += stored.size;
    checked.files += claims.filter(({ of }) => of === 'file').length;
    checked.open_uploads += claims.filter(({ of }) => of === 'upload').length;
    queued.blob_removals += claims.filter(({ of }) => of === 'removal').length;
    if (reads === 'nothing') continue;
    for (const claim of claims) {
      const finding = await findingOfBytes(deps, claim, rows.get(claim.blob_key) ?? []);
      if (finding) wrong.push(finding);
    }
    blobs_hashed += claims.filter(({ of, bytes }) => of !== 'removal' && (of !== 'upload' || bytes > 0)).length;
  }
  const result = { findings: wrong, checked: { ...checked, ...(reads === 'hashes' && { blobs_hashed }) }, queued };
  if (suspects.size === 0) return result;
  await sleep(pauseMs);
  const { findings, left_blobs } = await checkAgain(deps, [...suspects]);
  return { ...result, findings: [...findings, ...wrong], queued: { ...queued, ...(left_blobs > 0 && { left_blobs }) } };
}
