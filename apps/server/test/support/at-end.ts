import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { afterAll, onTestFinished, TestRunner } from 'vitest';
import { POOL_TIMES } from '../../src/platform/database/database-pool.ts';
import { type Database, openDatabase } from '../../src/platform/database/db.ts';
import { createTestDatabase } from './test-database.ts';

/**
 * What tests take is released by itself: when the test ends that takes it, or, where a file takes it outside of its tests
 * (`const app = await createTestApp()`), after the last of them. What was taken last is released first.
 */
export function atEnd(release: () => unknown): void {
  // Vitest wants hooks that answer with nothing.
  const hook = async () => void (await release());
  if (TestRunner.getCurrentTest()) onTestFinished(hook);
  else afterAll(hook);
}

/** An empty folder. */
export async function takeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-test-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An empty, migrated database. @returns its URL */
export async function takeDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  atEnd(drop);
  return url;
}

/** A busy machine is no database that is away; the tests of one that is away set their own times. */
const PATIENT = { ...POOL_TIMES, suspectAfterMs: WAIT_MS, probeMs: WAIT_MS, lockMs: WAIT_MS };

/** A database with connections, which may be closed earlier. */
export async function openTestDatabase(options: Partial<Parameters<typeof openDatabase>[0]> = {}): Promise<Database> {
  const database = await openDatabase({ times: PATIENT, ...options, url: options.url ?? (await takeDatabase()) });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= database.close());
  atEnd(close);
  return { ...database, close };
}
