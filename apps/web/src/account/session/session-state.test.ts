import type { User } from '@satchel/contract/entities';
import { describe, expect, test } from 'vitest';
import { bearerLifeMs, displayUser, nextSession, type SessionState, userIdOf } from './session-state.ts';

const user: User = {
  id: '7d0c0000-0000-4000-8000-000000000001',
  email: 'mika@example.com',
  created_at: '2026-03-14T10:00:00Z',
  user_metadata: { full_name: 'Mika', avatar_url: null },
};
const signedIn: SessionState = { state: 'in', user };
const loading: SessionState = { state: 'loading' };
const out: SessionState = { state: 'out' };

describe('the session', () => {
  test('is loading until the first answer', () => {
    expect(nextSession(loading, { type: 'signed_in', user })).toEqual(signedIn);
    expect(nextSession(loading, { type: 'signed_out' })).toEqual(out);
  });

  test('ends by signing out', () => expect(nextSession(signedIn, { type: 'signed_out' })).toEqual(out));

  test('survives a check that failed, but never stays loading because of it', () => {
    expect(nextSession(signedIn, { type: 'check_failed' })).toBe(signedIn);
    expect(nextSession(loading, { type: 'check_failed' })).toEqual(out);
  });

  test('is no new session when the same person is confirmed', () => {
    expect(nextSession(signedIn, { type: 'signed_in', user: structuredClone(user) })).toBe(signedIn);
    expect(nextSession(out, { type: 'signed_out' })).toBe(out);
  });

  test('knows its person only when signed in', () => {
    expect(userIdOf(signedIn)).toBe(user.id);
    expect(userIdOf(loading)).toBeNull();
    expect(userIdOf(out)).toBeNull();
  });
});

test('a person is called by the global name, else the e-mail', () => {
  expect(displayUser(user)).toBe('Mika');
  expect(displayUser({ ...user, user_metadata: { full_name: null, avatar_url: null } })).toBe('mika@example.com');
  expect(displayUser({ ...user, email: null, user_metadata: { full_name: null, avatar_url: null } })).toBe('Profile');
});

describe('the life of a bearer', () => {
  const expiresAt = '2026-03-14T10:10:00Z';
  const wrongClockMs = Date.parse('2026-03-14T12:00:00Z');

  test('is measured by the server’s clock, not by a device’s wrong one', () => {
    expect(bearerLifeMs(expiresAt, 'Sat, 14 Mar 2026 10:00:00 GMT', wrongClockMs)).toBe(600_000);
  });

  test('falls back to the device’s clock', () => {
    expect(bearerLifeMs(expiresAt, null, Date.parse('2026-03-14T10:09:00Z'))).toBe(60_000);
    expect(bearerLifeMs(expiresAt, 'no date', Date.parse('2026-03-14T10:09:00Z'))).toBe(60_000);
  });
});
