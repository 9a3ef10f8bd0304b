import { PATHS } from '@satchel/contract/paths';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requestName } from './early-answers.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-03-01T12:00:00Z');
/** The server's clock, which no change of the device's clock moves. */
const serverMs = () => START_MS + performance.now() - startedMs;
let startedMs = 0;
let asked: string[] = [];

/** The module as a page that has just opened has it. */
async function openClock() {
  vi.resetModules();
  return import('./server-clock.ts');
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] });
  startedMs = performance.now();
  asked = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path);
    return Response.json({ server_time: new Date(serverMs()).toISOString() });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  globalThis.satchelEarlyAnswers = undefined;
});

test.each([
  { device: 'right', offMs: 0 },
  { device: '3 h behind', offMs: -3 * HOUR_MS },
  { device: '3 h ahead', offMs: 3 * HOUR_MS },
])('the time is the server’s on a device whose clock is $device', async ({ offMs }) => {
  vi.setSystemTime(START_MS + offMs);
  const clock = await openClock();
  expect(clock.toldServerTimeMs()).toBeNull();
  clock.noteServerTime(new Date(serverMs()).toISOString());
  vi.advanceTimersByTime(60_000);
  expect(clock.serverNowMs()).toBe(START_MS + 60_000);
  expect(asked).toEqual([]);
});

test('a page asks by itself while no answer has told the time, and again once the device’s clock is set', async () => {
  vi.setSystemTime(START_MS - 3 * HOUR_MS);
  const clock = await openClock();
  clock.serverNowMs();
  await vi.advanceTimersByTimeAsync(0);
  expect(clock.serverNowMs()).toBe(START_MS);
  vi.advanceTimersByTime(60_000);
  vi.setSystemTime(START_MS + 60_000);
  expect(clock.toldServerTimeMs()).toBeNull();
  clock.serverNowMs();
  await vi.advanceTimersByTimeAsync(0);
  expect(clock.serverNowMs()).toBe(START_MS + 60_000);
  expect(asked).toEqual([PATHS.serverTime, PATHS.serverTime]);
});

test('a server that tells no time is not taken for one that does', async () => {
  const clock = await openClock();
  for (const answer of [
    new Response('{}'),
    Response.json({ server_time: 'soon' }),
    new Response('', { status: 503 }),
  ]) {
    vi.stubGlobal('fetch', async () => answer);
    await expect(clock.askServerTime()).rejects.toThrow();
  }
  expect(clock.toldServerTimeMs()).toBeNull();
});

test('an answer that has waited for the page tells the time of when it came', async () => {
  const { toldServerTimeMs } = await openClock();
  const { getJson } = await import('./api.ts');
  const response = Promise.resolve(Response.json({ server_time: new Date(serverMs()).toISOString() }));
  const early = { response, receivedAtMs: performance.now() };
  globalThis.satchelEarlyAnswers = new Map([[requestName('/told'), early]]);
  vi.advanceTimersByTime(4000);
  await getJson('/told');
  expect(toldServerTimeMs()).toBe(START_MS + 4000);
});
