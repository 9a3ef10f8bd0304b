#!/usr/bin/env node
// Starts CHROMIUM_PATH for Playwright, and keeps it from following what workers send: Chromium would copy each message of
// an upload socket in Base64 through its main process, which took 7 of 11 CPU seconds and up to 300 MB of 512 MiB.
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';

const [commands, answers] = [createReadStream('', { fd: 3 }), createWriteStream('', { fd: 4 })];
const browser = spawn(process.env.CHROMIUM_PATH, process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
});
const workers = new Set();

/** Calls back with each message of a pipe; a zero byte ends one. */
function eachMessage(pipe, take) {
  let parts = [];
  pipe.on('data', (bytes) => {
    let from = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
      take(Buffer.concat([...parts, bytes.subarray(from, end)]).toString());
      parts = [];
      from = end + 1;
    }
    if (from < bytes.length) parts.push(bytes.subarray(from));
  });
}

eachMessage(commands, (message) => {
  const isWatch = message.includes('"Network.enable"') && workers.has(JSON.parse(message).sessionId);
  browser.stdio[3].write(`${isWatch ? message.replace('"Network.enable"', '"Runtime.enable"') : message}\0`);
});
eachMessage(browser.stdio[4], (message) => {
  if (message.includes('"Target.attachedToTarget"')) {
    const { params } = JSON.parse(message);
    if (params.targetInfo.type === 'worker') workers.add(params.sessionId);
  }
  answers.write(`${message}\0`);
});
commands.on('end', () => browser.stdio[3].end());
browser.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => browser.kill(signal));
