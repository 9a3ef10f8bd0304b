import { connect } from 'node:net';
import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

test('files that another app shares past the service worker are refused before a byte of them has come', async () => {
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
  const head = [
    `POST ${SHARE_TARGET_PATH} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: multipart/form-data; boundary=x',
    'content-length: 5000000000',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    socket.setEncoding('latin1').on('data', (more) => (text += more));
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 303 /);
  expect(answer).toMatch(/\r\nlocation: \/upload\?shared=unread\r\n/i);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
});
