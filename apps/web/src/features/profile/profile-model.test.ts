import { i18n } from '@lingui/core';
import { describe, expect, test } from 'vitest';
import { accentHex, badgesOf, displayNameOf, tierText, usernameOf } from './profile-model.ts';

const badgeNames = (flags: number) => badgesOf(flags).map(({ label }) => i18n._(label));

test('the display name falls back from global name to name to username', () => {
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

describe('badges', () => {
  test('none without flags, and none for flags that have no badge', () => {
    expect(badgesOf(0)).toEqual([]);
    expect(badgesOf(16 | 32 | 65536)).toEqual([]);
  });

  test.each([
    [1, 'Discord Employee'],
    [2, 'Partnered Server Owner'],
    [4, 'HypeSquad Events'],
    [8, 'Bug Hunter Level 1'],
    [64, 'House Bravery'],
    [128, 'House Brilliance'],
    [256, 'House Balance'],
    [512, 'Early Supporter'],
    [1024, 'Team User'],
    [16384, 'Bug Hunter Level 2'],
    [131072, 'Early Bot Developer'],
    [4194304, 'Active Developer'],
  ])('flag %i is %s', (flag, name) => expect(badgeNames(flag)).toEqual([name]));

  test('are in the order of their bits', () => {
    expect(badgeNames(4194304 | 256 | 512)).toEqual(['House Balance', 'Early Supporter', 'Active Developer']);
  });

  test('flags beyond 32 bits neither hide nor add badges', () => {
    expect(badgeNames(2 ** 44 + 512)).toEqual(['Early Supporter']);
    expect(badgeNames(2 ** 32)).toEqual([]);
  });
});

test('a tier shows as a word', () => {
  expect(tierText('free')).toBe('Free');
  expect(tierText('plus')).toBe('Plus');
});
