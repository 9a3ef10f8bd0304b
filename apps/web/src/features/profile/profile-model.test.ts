import { describe, expect, test } from 'vitest';
import { accentHex, badgesOf, displayNameOf, tierText, usernameOf } from './profile-model.ts';

test('the display name falls back from global name to name to username (§9)', () => {
  const names = { discord_global_name: 'Mika', name: 'mika m', discord_username: 'mikaforge' };
  expect(displayNameOf(names)).toBe('Mika');
  expect(displayNameOf({ ...names, discord_global_name: null })).toBe('mika m');
  expect(displayNameOf({ discord_global_name: '', name: null, discord_username: 'mikaforge' })).toBe('mikaforge');
  expect(displayNameOf({ discord_global_name: null, name: null, discord_username: null })).toBe('Unknown User');
});

test.each([
  ['mikaforge', '0', '@mikaforge'],
  ['mikaforge', null, '@mikaforge'],
  ['lena', '1234', 'lena#1234'],
  ['lena', '0001', 'lena#0001'],
  [null, '1234', null],
])('username %s with discriminator %s reads %s', (discord_username, discord_discriminator, text) =>
  expect(usernameOf({ discord_username, discord_discriminator })).toBe(text),
);

test.each([
  [0x2f6152, '#2f6152'],
  [0, '#000000'],
  [255, '#0000ff'],
  [0xffffff, '#ffffff'],
])('accent colour %d is %s', (accentColor, text) => expect(accentHex(accentColor)).toBe(text));

describe('badges (§9)', () => {
  test('none without flags, and none for flags that have no badge', () => {
    expect(badgesOf(0)).toEqual([]);
    expect(badgesOf(16 | 32 | 65536)).toEqual([]);
  });

  test('each flag has its own', () => {
    expect(badgesOf(256 | 512 | 4194304)).toEqual(['House Balance', 'Early Supporter', 'Active Developer']);
    expect(badgesOf(1 | 2 | 4 | 8 | 64 | 128 | 1024 | 16384 | 131072)).toHaveLength(9);
  });
});

test('a tier is written as a word', () => expect(tierText('free')).toBe('Free'));
