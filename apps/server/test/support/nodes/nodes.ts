import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyedDeps } from '../../../src/http/deps.ts';
import { createDiskBlobs } from '../../../src/platform/blobs/blobs-disk.ts';
import { createChangeChannel } from '../../../src/platform/database/change-channel.ts';
import { openDatabase } from '../../../src/platform/database/db.ts';
import { createSharedVisitorSalts } from '../../../src/platform/keys/shared-visitor-salts.ts';
import { createTextSealer } from '../../../src/platform/keys/text-sealer.ts';
import { createTestApp, type TestApp } from '../test-app.ts';
import { createTestDatabase } from '../test-database.ts';

/** Several nodes of one site in this process: each with its own connections, all with one database and one store. */

/** What all nodes seal the salts with. */
export const sealerOfSite = () => createTextSealer(Buffer.from('a secret that all nodes of this test have'), 'salts');

export interface Nodes {
  readonly all: readonly TestApp[];
  readonly databaseUrl: string;
  close(): Promise<void>;
}

/** @param options.deps replace the usual parts of each node */
export async function startNodes(
  count: number,
  { env = {}, deps = {} }: { env?: Record<string, string>; deps?: Partial<KeyedDeps> } = {},
): Promise<Nodes> {
  const storage = await createTestDatabase();
  const shared = await mkdtemp(join(tmpdir(), 'satchel-nodes-'));
  const blobs = createDiskBlobs({ dir: join(shared, 'blobs') });
  const all: TestApp[] = [];
  const close = async () => {
    for (const node of all) await node.close();
    await storage.drop();
    await rm(shared, { recursive: true, force: true });
  };
  try {
    for (let made = 0; made < count; made += 1) {
      const database = await openDatabase({ url: storage.url });
      const node = await createTestApp({
        env: { PUBLIC_URL: 'https://files.example.org', KEYS_DIR: join(shared, 'keys'), ...env },
        deps: {
          database,
          blobs,
          changeChannel: createChangeChannel(storage.url, () => undefined),
          visitorSalts: createSharedVisitorSalts({ db: database.db, sealer: sealerOfSite() }),
          ...deps,
        },
      });
      all.push(node);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { all, databaseUrl: storage.url, close };
}
