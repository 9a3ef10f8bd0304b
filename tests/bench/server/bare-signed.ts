import { createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';

/**
 * The bound of the bot: checks the signature, parses the JSON and answers. A process of its own.
 * Usage: node bare-signed.ts PUBLIC_KEY_IN_HEX; prints its port.
 */
const [, , hex = ''] = process.argv;
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const key = createPublicKey({
  key: Buffer.concat([SPKI_PREFIX, Buffer.from(hex, 'hex')]),
  format: 'der',
  type: 'spki',
});

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { 'x-signature-timestamp': timestamp = '', 'x-signature-ed25519': signature = '' } = request.headers;
  const signed = Buffer.concat([Buffer.from(String(timestamp)), ...chunks]);
  const isSigned = verify(null, signed, key, Buffer.from(String(signature), 'hex'));
  const { id } = JSON.parse(Buffer.concat(chunks).toString());
  const answer = JSON.stringify({ type: 4, data: { content: id, flags: 64 } });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };
  response.writeHead(isSigned ? 200 : 401, headers).end(answer);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
process.on('SIGTERM', () => process.exit(0));
