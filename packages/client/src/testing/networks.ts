import type { HttpAnswer, Network } from '../send/ports.ts';

/** Networks for tests of what sends. */

export function answerOf(status: number, headers: Readonly<Record<string, string>> = {}, body = ''): HttpAnswer {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { status, statusText: '', body, header: (name) => lower.get(name.toLowerCase()) ?? null };
}

export const networkOf = (request: Network['request'], over: Partial<Network> = {}): Network => ({
  origin: 'https://satchel.example',
  request,
  openSocket: null,
  isThere: async () => true,
  ...over,
});
