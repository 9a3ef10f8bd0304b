import { expect, test } from 'vitest';
import { createTokens, hashToken, newToken, sameToken } from './tokens.ts';

const tokens = createTokens(Buffer.alloc(32, 1));
const bearer = { profile_id: 'p', session_id: 's', expiresAtMs: Date.now() + 60_000 };
const grant = { path: 'unlocked-folders/a/b.enc', expiresAtMs: Date.now() + 60_000 };

test('a new token has 256 bits and differs every time', () => {
  expect(newToken()).toMatch(/^[\w-]{43}$/);
  expect(newToken()).not.toBe(newToken());
});

test('the stored form of a token is its SHA-256', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('tokens are equal when every character is', () => {
  expect(sameToken('abc', 'abc')).toBe(true);
  expect(sameToken('abc', 'abd')).toBe(false);
  expect(sameToken('abc', 'abcd')).toBe(false);
  expect(sameToken('abc', '')).toBe(false);
});

test('a bearer token is verified by every node with the same secret', () => {
  const token = createTokens(Buffer.alloc(32, 1)).signBearer(bearer);
  expect(tokens.verifyBearer(token)).toEqual(bearer);
});

test('a bearer token of another secret, an expired one and a changed one are refused', () => {
  const token = tokens.signBearer(bearer);
  const [body = '', signature = ''] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...bearer, profile_id: 'q' })).toString('base64url');
  expect(createTokens(Buffer.alloc(32, 2)).verifyBearer(token)).toBeNull();
  expect(tokens.verifyBearer(tokens.signBearer({ ...bearer, expiresAtMs: Date.now() - 1 }))).toBeNull();
  for (const bad of ['', '.', body, `${body}.`, `${forged}.${signature}`, `${token}.x`, `${token}x`, 'not.base64']) {
    expect(tokens.verifyBearer(bad)).toBeNull();
  }
});

test('a signed URL opens only its own object', () => {
  const token = tokens.signObject(grant);
  expect(tokens.verifyObject(token, grant.path)).toBe(true);
  expect(tokens.verifyObject(token, `${grant.path}2`)).toBe(false);
  expect(tokens.verifyObject(tokens.signObject({ ...grant, expiresAtMs: Date.now() - 1 }), grant.path)).toBe(false);
});

test('a token of one purpose is refused for another', () => {
  expect(tokens.verifyBearer(tokens.signObject(grant))).toBeNull();
  expect(tokens.verifyObject(tokens.signBearer(bearer), grant.path)).toBe(false);
  expect(tokens.verifySignIn(tokens.signBearer(bearer))).toBeNull();
});

test('the pseudonym of a person in the log is stable, and differs under another secret', () => {
  expect(tokens.hashForLog('p')).toBe(tokens.hashForLog('p'));
  expect(tokens.hashForLog('p')).not.toBe(tokens.hashForLog('q'));
  expect(tokens.hashForLog('p')).not.toBe(createTokens(Buffer.alloc(32, 2)).hashForLog('p'));
});
