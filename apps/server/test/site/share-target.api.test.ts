import { connect } from 'node:net';
import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { expect, test } from 'vitest';
import { createTestApp } from '../support/test-app.ts';

const app = await createTestApp();

/** What the server answers on a connection until it closes it, or until `isEnough` says so of the text so far. */
async function answerTo(lengthBytes: number, parts: readonly string[], isEnough = (_text: string) => false) {
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
  const head = [
    `POST ${SHARE_TARGET_PATH} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: multipart/form-data; boundary=x',
    `content-length: ${lengthBytes}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  for (const part of parts) socket.write(part);
  return new Promise<string>((resolve, reject) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (more) => {
      text += more;
      if (isEnough(text)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

const REDIRECT = /^HTTP\/1\.1 303 .*\r\nlocation: \/upload\?shared=unread\r\n/is;

test('files that another app shares past the service worker are refused before a byte of them has come', async () => {
  const answer = await answerTo(5_000_000_000, []);
  expect(answer).toMatch(REDIRECT);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});

test('a browser that sends a few megabytes past the service worker gets its answer after them, on an open connection', async () => {
  const photo = 'x'.repeat(4_000_000);
  const next = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  const answer = await answerTo(photo.length, [photo, next], (text) => text.includes('HTTP/1.1 200'));
  expect(answer).toMatch(REDIRECT);
  expect(answer).toContain('HTTP/1.1 200');
});
