import type { RedeemIntentOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { sendJson } from '../../lib/api.ts';
import { dropIntent, intentIn, keepIntent, keptIntent, prefillOf, redeemIntent, stepOf } from './upload-intent.ts';

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
])('the fragment %j brings %j', (hash, intent) => {
  expect(intentIn(hash)).toBe(intent);
});

describe('what this tab keeps', () => {
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
    dropIntent();
    vi.unstubAllGlobals();
  });

  test('is there after a sign-in, and gone once it is dropped', () => {
    expect(keptIntent()).toBeNull();
    keepIntent({ token: TOKEN });
    expect(keptIntent()).toEqual({ token: TOKEN });
    keepIntent({ asked: ASKED, userId: 'mika' });
    // Once it is used, what it was is nowhere.
    expect([...stored.values()].join()).not.toContain(TOKEN);
    expect(keptIntent()).toEqual({ asked: ASKED, userId: 'mika' });
    dropIntent();
    expect([keptIntent(), stored.size]).toEqual([null, 0]);
  });

  test('is nothing where storage holds somebody else’s making', () => {
    for (const text of ['7', '"x"', '{}', '{"asked":null}', '{']) {
      stored.set('satchel.upload_intent', text);
      expect(keptIntent()).toBeNull();
    }
  });

  test('lasts for the page where storage is closed', () => {
    vi.stubGlobal('sessionStorage', undefined);
    keepIntent({ token: TOKEN });
    expect(keptIntent()).toEqual({ token: TOKEN });
    dropIntent();
    expect(keptIntent()).toBeNull();
  });
});

test('whoever asks twice at once is answered by one call, and later by another', async () => {
  const calls: unknown[] = [];
  const send = (async (...call: unknown[]) => {
    calls.push(call);
    return ASKED;
  }) as typeof sendJson;
  expect(await Promise.all([redeemIntent(send, TOKEN), redeemIntent(send, TOKEN)])).toEqual([ASKED, ASKED]);
  expect(calls).toEqual([['POST', '/discord/intents/redeem', { intent: TOKEN }]]);
  await redeemIntent(send, TOKEN);
  expect(calls).toHaveLength(2);
});

test('the command goes before the address, within what the person’s tier allows', () => {
  const address = { name: 'By address', lifetimeHours: 12, encrypt: true, discordLink: true };
  expect(prefillOf(ASKED, address, 24)).toEqual({
    name: 'Saturday raid',
    lifetimeHours: 6,
    encrypt: true,
    discordLink: false,
  });
  expect(prefillOf({ ...ASKED, lifetime_hours: 72, link_mode: 'plain' }, {}, 24)).toMatchObject({
    lifetimeHours: 24,
    encrypt: false,
  });
  expect(prefillOf({ ...ASKED, folder_name: null, lifetime_hours: null }, address, 24)).toMatchObject({
    name: 'By address',
    lifetimeHours: 12,
  });
});

test('where it stands', () => {
  const brought = { token: TOKEN };
  const told = { asked: ASKED, userId: 'mika' };
  expect(stepOf(null, null, 'mika')).toEqual({ step: 'none' });
  expect(stepOf(brought, null, null)).toEqual({ step: 'waiting' });
  expect(stepOf(brought, null, 'mika')).toEqual({ step: 'waiting' });
  expect(stepOf(told, null, 'mika')).toEqual({ step: 'asked', asked: ASKED });
  // Somebody else signed in in this tab.
  expect(stepOf(told, null, 'jonas')).toEqual({ step: 'none' });
  expect(stepOf(brought, new AppError('intent.foreign'), 'jonas')).toEqual({ step: 'foreign' });
  for (const error of [new AppError('intent.invalid'), new AppError('request.invalid')]) {
    expect(stepOf(brought, error, 'mika')).toEqual({ step: 'over', error });
  }
  const error = new AppError('unexpected');
  expect(stepOf(brought, error, 'mika')).toEqual({ step: 'stuck', error });
});
