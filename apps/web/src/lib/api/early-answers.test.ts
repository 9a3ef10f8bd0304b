import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type EarlyAnswer, fetchEarly, requestName } from './early-answers.ts';

const PATH = '/auth/v1/session';
const early = (text: string, receivedAtMs: number | null = performance.now()): EarlyAnswer => ({
  response: Promise.resolve(new Response(text)),
  receivedAtMs,
});
const textOf = async (path: string, init?: RequestInit) => (await fetchEarly(path, init)).response.text();

describe('an answer that was asked for ahead', () => {
  beforeEach(() => {
    vi.stubGlobal('fetch', async () => new Response('fetched'));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
    globalThis.satchelEarlyAnswers = undefined;
  });

  test('stands in for the first fetch of the same request, and for no other', async () => {
    globalThis.satchelEarlyAnswers = new Map([[requestName(PATH), early('early')]]);
    expect(await textOf('/another')).toBe('fetched');
    expect(await textOf(PATH, { method: 'POST', body: '{}' })).toBe('fetched');
    expect(await textOf(PATH)).toBe('early');
    expect(await textOf(PATH)).toBe('fetched');
  });

  test('fails as the fetch would have', async () => {
    const response = Promise.reject(new TypeError('Failed to fetch'));
    globalThis.satchelEarlyAnswers = new Map([[requestName(PATH), { response, receivedAtMs: null }]]);
    await expect(fetchEarly(PATH)).rejects.toThrow('Failed to fetch');
    expect(await textOf(PATH)).toBe('fetched');
  });

  test('says for how long it has waited, and is asked for again after half a minute', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    globalThis.satchelEarlyAnswers = new Map([
      [requestName(PATH), early('early')],
      [requestName('/old'), early('old')],
    ]);
    vi.advanceTimersByTime(5000);
    expect((await fetchEarly(PATH)).heldMs).toBe(5000);
    vi.advanceTimersByTime(26_000);
    expect(await textOf('/old')).toBe('fetched');
    expect((await fetchEarly('/new')).heldMs).toBe(0);
  });
});
