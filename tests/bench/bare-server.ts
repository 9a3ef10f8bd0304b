import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';

/**
 * The bound of a bare Node process: PUT pipes the body into a file and syncs it, GET pipes a file out, POST reads its
 * body and answers one row of a prepared statement.
 * Usage: node bare-server.ts FOLDER [DATABASE_URL]; prints its port.
 */
const [, , dir = '.', connectionString] = process.argv;
const pool = connectionString === undefined ? null : new pg.Pool({ connectionString, max: 10 });

async function answerRow(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { input_folder_slug } = JSON.parse(text) as { input_folder_slug: string };
  const row = { name: 'folder', text: 'select * from folders where slug = $1', values: [input_folder_slug] };
  const { rows } = (await pool?.query(row)) ?? { rows: [] };
  const body = JSON.stringify(rows[0]);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
}

const server = createServer(async (request, response) => {
  const path = `${dir}/${(request.url ?? '/').replaceAll(/[^a-z0-9]/g, '')}`;
  try {
    if (request.method === 'POST') return await answerRow(request, response);
    if (request.method === 'GET') {
      response.setHeader('content-length', (await stat(path)).size);
      await pipeline(createReadStream(path, { highWaterMark: 512 * 1024 }), response);
      return;
    }
    await pipeline(request, createWriteStream(path));
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
