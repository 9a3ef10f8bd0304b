import { expect, it } from 'vitest';
import { keepServer } from './kept-server.mjs';

/** Children that end when the test says so. */
function createStarts() {
  const children = [];
  const start = () => {
    const ended = Promise.withResolvers();
    let isRunning = true;
    const end = (code, signal = null) => {
      isRunning = false;
      ended.resolve({ code, signal });
    };
    const child = {
      end,
      exited: ended.promise,
      isRunning: () => isRunning,
      stop: async () => {
        if (isRunning) end(0);
        return (await ended.promise).code;
      },
      kill: () => end(137, 'SIGKILL'),
    };
    children.push(child);
    return child;
  };
  return { children, start };
}

const AT_ONCE = { pauseMs: 0 };
const READY = { isReady: async () => {} };

it('starts a server again that was ready and is killed or crashes, once the database takes connections', async () => {
  const { children, start } = createStarts();
  const database = Promise.withResolvers();
  const server = keepServer(start, { isReady: () => database.promise }, AT_ONCE);
  server.noteReady();
  children[0].kill();
  await expect.poll(() => server.isRunning()).toBe(false);
  expect(children).toHaveLength(1);
  database.resolve();
  await expect.poll(() => children.length).toBe(2);
  children[1].end(1);
  await expect.poll(() => children.length).toBe(3);
  expect(await server.stop()).toBe(0);
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

it.each([
  ['was never ready', (server) => server, 1],
  ['ends in order', (server) => server.noteReady(), 0],
])('does not start a server again that %s', async (_what, prepare, code) => {
  const { children, start } = createStarts();
  const server = keepServer(start, READY, AT_ONCE);
  prepare(server);
  children[0].end(code);
  expect(await server.exited).toEqual({ code, signal: null });
  expect(children).toHaveLength(1);
});

it('gives up on a server that ends again and again', async () => {
  const { children, start } = createStarts();
  const server = keepServer(start, READY, AT_ONCE);
  server.noteReady();
  for (let time = 0; time < 6; time += 1) {
    await expect.poll(() => children.length).toBe(time + 1);
    children[time].end(3);
  }
  expect(await server.exited).toEqual({ code: 3, signal: null });
});

it('starts none that ends while all is being stopped', async () => {
  const { children, start } = createStarts();
  const database = Promise.withResolvers();
  const server = keepServer(start, { isReady: () => database.promise }, AT_ONCE);
  server.noteReady();
  children[0].kill();
  await expect.poll(() => server.isRunning()).toBe(false);
  await server.stop();
  database.resolve();
  expect(await server.exited).toEqual({ code: 0, signal: null });
  expect(children).toHaveLength(1);
});
