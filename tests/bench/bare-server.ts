import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';

/**
 * The bound of a bare Node process: PUT pipes the body into a file and syncs it, GET pipes a file out.
 * Usage: node bare-server.ts FOLDER; prints its port.
 */
const [, , dir = '.'] = process.argv;

const server = createServer(async (request, response) => {
  const path = `${dir}/${(request.url ?? '/').replaceAll(/[^a-z0-9]/g, '')}`;
  try {
    if (request.method === 'GET') {
      await pipeline(createReadStream(path, { highWaterMark: 512 * 1024 }), response);
      return;
    }
    const start = Number(request.headers['upload-offset'] ?? 0);
    await pipeline(request, createWriteStream(path, { flags: start === 0 ? 'w' : 'r+', start }));
    const handle = await open(path, 'r+');
    await handle.datasync();
    await handle.close();
    response.writeHead(204).end();
  } catch {
    response.destroy();
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
process.on('SIGTERM', () => process.exit(0));
