import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** Serves the gallery's page from memory, on loopback. */

const WEB = join(import.meta.dirname, '../../apps/web');
export const AXE = '/axe.js';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

async function buildPage(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { output } = (await build({
    configFile: join(WEB, 'test/gallery/vite.config.ts'),
    logLevel: 'warn',
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  const files = output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : file.source] as const);
  // As a script of the page, the browser keeps it compiled.
  return new Map([...files, [AXE, await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'))]]);
}

export async function serveGallery(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const files = await buildPage();
  const server = createServer(async ({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://gallery');
    const path = pathname === '/' ? '/test/gallery/index.html' : pathname;
    const body = files.get(path) ?? (await readFile(join(WEB, 'public', path)).catch(() => null));
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
    // Scripts that the browser keeps are compiled once.
    response.setHeader('Cache-Control', 'max-age=3600');
    // The address of the sign-in has no page: the browser stays where it is.
    response.statusCode = body === null ? (path.startsWith('/auth/') ? 204 : 404) : 200;
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
