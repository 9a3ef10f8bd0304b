import { AppError, fromWire } from '@satchel/contract/errors';
import { BEARER_RENEW_MS } from '@satchel/contract/limits';
import { expect, test } from 'vitest';
import { BearerUnavailable, createBearer } from './bearer.ts';

function newBearer() {
  const asked: boolean[] = [];
  const clock = { nowMs: 0 };
  const bearer = createBearer(
    async (renew) => {
      asked.push(renew);
      return `token-${asked.length}`;
    },
    () => clock.nowMs,
  );
  return { bearer, asked, clock };
}

test('the page is asked once, and again before what it gave could run out', async () => {
  const { bearer, asked, clock } = newBearer();
  expect(await bearer.get()).toBe('token-1');
  clock.nowMs = BEARER_RENEW_MS / 2 - 1;
  expect(await bearer.get()).toBe('token-1');
  clock.nowMs = BEARER_RENEW_MS / 2;
  expect(await bearer.get()).toBe('token-2');
  expect(asked).toEqual([false, false]);
});

test('a bearer that the server refused is replaced by a new one', async () => {
  const { bearer, asked } = newBearer();
  await bearer.get();
  bearer.refuse();
  expect(await bearer.get()).toBe('token-2');
  expect(asked).toEqual([false, true]);
});

test('the refusal of a banned person is final, though no browser knows its row', async () => {
  // As a browser has it: the row is the server's, so that code, text and status come over the wire.
  const wire = { code: 'auth.banned_elsewhere', params: {}, message: 'You are banned', status: 403 };
  const banned = createBearer(() => Promise.reject(fromWire({ error: wire })));
  await expect(banned.get()).rejects.toMatchObject({ code: 'auth.banned_elsewhere', status: 403 });
});

test('signed out is final; an unreachable server is not', async () => {
  const signedOut = createBearer(() => Promise.reject(new AppError('upload.unauthenticated')));
  await expect(signedOut.get()).rejects.toMatchObject({ code: 'upload.unauthenticated' });
  const unreachable = createBearer(() => Promise.reject(new AppError('unexpected')));
  await expect(unreachable.get()).rejects.toBeInstanceOf(BearerUnavailable);
});
