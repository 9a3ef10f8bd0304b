import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimCluster } from './claim.mjs';

let dir;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'satchel-claim-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A holder that answers each connection by `answer`. */
async function holder(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(join(dir, 'claim'), resolve));
  return server;
}

it('takes over from a holder that ends while it is asked', async () => {
  const server = await holder((socket) => {
    socket.destroy();
    server.close();
  });
  const claim = await claimCluster(join(dir, 'claim'), dir);
  claim.release();
});

it('takes nothing from a holder that says nothing', async () => {
  const sockets = [];
  const server = await holder((socket) => sockets.push(socket));
  await expect(claimCluster(join(dir, 'claim'), dir)).rejects.toThrow(`another Satchel is using ${dir}`);
  for (const socket of sockets) socket.destroy();
  server.close();
});
