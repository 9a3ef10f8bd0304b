import { CATALOGUE } from '@satchel/contract/errors';
import { expect } from 'vitest';
import type { RawAnswer, RawRequest } from './raw-http.ts';

/** Asserts that a route did what was asked, or refused it with an error of the catalogue. */
export function expectAnswer(answer: RawAnswer | null, { method, path }: RawRequest): asserts answer is RawAnswer {
  expect(answer, 'an answer').not.toBeNull();
  const { status, headers, body } = answer!;
  expect(status).toBeLessThan(500);
  if (status < 400 || method === 'HEAD' || headers.get('content-type')?.startsWith('text/html')) return;
  const refusal = JSON.parse(body.toString());
  if (path.startsWith('/bot/') && refusal.success === false) return expect(refusal.error).toEqual(expect.any(String));
  const { code, params, message } = refusal.error;
  expect(Object.keys(CATALOGUE)).toContain(code);
  const row = CATALOGUE[code as keyof typeof CATALOGUE];
  expect({ status, message }).toEqual({ status: row.status, message: row.text(params) });
}
