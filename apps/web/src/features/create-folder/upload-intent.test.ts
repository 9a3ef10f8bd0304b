import type { RedeemIntentOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { sendJson } from '../../lib/api/api.ts';
import { deleteIntent, intentIn, keepIntent, keptIntent, prefillOf, redeemIntent, stepOf } from './upload-intent.ts';

const TOKEN = 'i'.repeat(43);
const ASKED: RedeemIntentOutput = {
  intent_id: '7d0c0000-0000-4000-8000-000000000201',
  folder_name: 'Saturday raid',
  lifetime_hours: 6,
  link_mode: 'private',
};

test.each([
  [`#intent=${TOKEN}`, TOKEN],
  [`intent=${TOKEN}`, TOKEN],
  [`#a&intent=${TOKEN}`, TOKEN],
  ['#intent=', ''],
  ['#', null],
  ['', null],
  ['#myintent=1', null],
  [`#k=${TOKEN}`, null],
])('the fragment %j gives %j', (hash, intent) => {
  expect(intentIn(hash)).toBe(intent);
});

describe('the intent in this tab', () => {
  let stored: Map<string, string>;
  beforeEach(() => {
    stored = new Map();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
      removeItem: (key: string) => void stored.delete(key),
    });
  });
  afterEach(() => {
    deleteIntent();
    vi.unstubAllGlobals();
  });

  test('survives a sign-in, and is deleted on request', () => {
    expect(keptIntent()).toBeNull();
    keepIntent({ token: TOKEN });
    expect(keptIntent()).toEqual({ token: TOKEN });
    keepIntent({ asked: ASKED, userId: 'mika' });
    // After its use, the token is stored nowhere.
    expect([...stored.values()].join()).not.toContain(TOKEN);
    expect(keptIntent()).toEqual({ asked: ASKED, userId: 'mika' });
    deleteIntent();
    expect([keptIntent(), stored.size]).toEqual([null, 0]);
  });

  test('is null if storage has foreign content', () => {
    for (const text of ['7', '"x"', '{}', '{"asked":null}', '{']) {
      stored.set('satchel.upload_intent', text);
      expect(keptIntent()).toBeNull();
    }
  });

  test('lasts as long as the page if storage is forbidden', () => {
    vi.stubGlobal('sessionStorage', undefined);
    keepIntent({ token: TOKEN });
    expect(keptIntent()).toEqual({ token: TOKEN });
    deleteIntent();
    expect(keptIntent()).toBeNull();
  });
});

test('concurrent redemptions share one call; a later one makes another', async () => {
  const calls: unknown[] = [];
  const send = (async (...call: unknown[]) => {
    calls.push(call);
    return ASKED;
  }) as typeof sendJson;
  expect(await Promise.all([redeemIntent(send, TOKEN), redeemIntent(send, TOKEN)])).toEqual([ASKED, ASKED]);
  expect(calls).toEqual([['POST', '/discord/intents/redeem', { intent: TOKEN }, { isRepeatable: true }]]);
  await redeemIntent(send, TOKEN);
  expect(calls).toHaveLength(2);
});

test('the command overrides the address, within the person’s tier', () => {
  const address = { name: 'By address', lifetimeHours: 12, linkMode: 'discord' as const };
  expect(prefillOf(ASKED, address, 24)).toEqual({
    name: 'Saturday raid',
    lifetimeHours: 6,
    linkMode: 'private',
  });
  expect(prefillOf({ ...ASKED, lifetime_hours: 72, link_mode: 'plain' }, {}, 24)).toMatchObject({
    lifetimeHours: 24,
    linkMode: 'plain',
  });
  expect(prefillOf({ ...ASKED, folder_name: null, lifetime_hours: null }, address, 24)).toMatchObject({
    name: 'By address',
    lifetimeHours: 12,
  });
});

test('the state of an intent', () => {
  const brought = { token: TOKEN };
  const redeemed = { asked: ASKED, userId: 'mika' };
  expect(stepOf(null, null, 'mika')).toEqual({ step: 'none' });
  expect(stepOf(brought, null, null)).toEqual({ step: 'waiting' });
  expect(stepOf(brought, null, 'mika')).toEqual({ step: 'waiting' });
  expect(stepOf(redeemed, null, 'mika')).toEqual({ step: 'asked', asked: ASKED });
  // Another person signed in in this tab.
  expect(stepOf(redeemed, null, 'jonas')).toEqual({ step: 'none' });
  expect(stepOf(brought, new AppError('intent.foreign'), 'jonas')).toEqual({ step: 'foreign' });
  for (const error of [new AppError('intent.invalid'), new AppError('request.invalid')]) {
    expect(stepOf(brought, error, 'mika')).toEqual({ step: 'over', error });
  }
  const error = new AppError('unexpected');
  expect(stepOf(brought, error, 'mika')).toEqual({ step: 'stuck', error });
});
