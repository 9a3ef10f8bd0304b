#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

/**
 * A Firefox (FIREFOX_PATH) that takes commands which it does not know: Playwright sends some that are younger than an ESR, as to
 * set what a page is told of colours, and gives up at the first that is refused. Playwright starts this in Firefox's place.
 */
const ENDPOINT = /WebDriver BiDi listening on (ws:\/\/\S+)/;
const firefox = spawn(process.env.FIREFOX_PATH, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'pipe'] });
firefox.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => firefox.kill(signal));

/** Passes messages between Playwright and Firefox, and says that all is well for a command that Firefox does not know. */
function pass(client, endpoint) {
  const toFirefox = new WebSocket(endpoint);
  const opened = new Promise((resolve) => toFirefox.addEventListener('open', resolve));
  toFirefox.addEventListener('message', ({ data }) => {
    const { id, error } = data.includes('unknown command') ? JSON.parse(data) : {};
    client.send(error === 'unknown command' ? JSON.stringify({ type: 'success', id, result: {} }) : data);
  });
  toFirefox.addEventListener('close', () => client.close());
  client.on('message', async (data) => {
    await opened;
    toFirefox.send(data.toString());
  });
  client.on('close', () => toFirefox.close());
}

for await (const line of createInterface({ input: firefox.stderr })) {
  const [, endpoint] = ENDPOINT.exec(line) ?? [];
  if (!endpoint) {
    process.stderr.write(`${line}\n`);
    continue;
  }
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (client) => pass(client, `${endpoint}/session`));
  server.on('listening', () =>
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`),
  );
}
