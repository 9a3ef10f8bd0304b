import { checkCommands } from '@satchel/discord-sandbox/schema/check';
import { expect, test } from 'vitest';
import { commandDefinitions } from './definitions.ts';

const tiers = (folder_lifetime_hours: number) => ({
  free: { storage_bytes: 1, max_file_bytes: 1, folder_lifetime_hours },
});

/** Values of the choices of /upload's `expires`; null without that option. */
function lifetimesAt(hours: number): unknown[] | null {
  const [upload] = commandDefinitions(tiers(hours));
  const options = upload && 'options' in upload ? (upload.options ?? []) : [];
  const option = options.find(({ name }) => name === 'expires');
  return option && 'choices' in option ? (option.choices ?? []).map(({ value }) => value) : null;
}

test.each([0.5, 1, 24, 30, 72, 8760])('Discord accepts the definitions where folders live for %d hours', (hours) => {
  expect(checkCommands(commandDefinitions(tiers(hours)))).toEqual([]);
});

test('there are four commands for everybody, rules for a server’s managers, and help', () => {
  const described = commandDefinitions(tiers(24)).map((command) => [
    command.name,
    'options' in command
      ? command.options?.map((option) => `${option.name}${'required' in option && option.required ? '!' : ''}`)
      : [],
  ]);
  expect(Object.fromEntries(described)).toEqual({
    upload: ['folder', 'who_opens', 'expires'],
    list: ['page'],
    share: ['folder!', 'with', 'members_only'],
    delete: ['folder!'],
    settings: ['who_opens', 'longest_life', 'members_only', 'share_here', 'log_webhook'],
    help: [],
  });
});

test('every command works in servers, with the bot and between people, as a server’s app and as a person’s', () => {
  const everywhere = commandDefinitions(tiers(24)).filter(({ name }) => name !== 'settings');
  for (const command of everywhere) {
    expect(command).toMatchObject({ integration_types: [0, 1], contexts: [0, 1, 2] });
  }
});

test('the rules of a server are offered in servers that have the bot, to people who may manage them', () => {
  const settings = commandDefinitions(tiers(24)).find(({ name }) => name === 'settings');
  expect(settings).toMatchObject({ integration_types: [0], contexts: [0], default_member_permissions: '32' });
});

test('every name and every description exists in German, French and Spanish', () => {
  const locales = ['de', 'fr', 'es-ES', 'es-419'];
  for (const command of commandDefinitions(tiers(24))) {
    const options = 'options' in command ? (command.options ?? []) : [];
    for (const described of [command, ...options]) {
      const texts = 'description_localizations' in described ? described.description_localizations : null;
      expect(Object.keys(texts ?? {}), described.name).toEqual(locales);
      expect(Object.keys(described.name_localizations ?? {}), described.name).toEqual(locales);
    }
  }
});

test('a new folder may live for whole hours up to the longest life', () => {
  expect(lifetimesAt(24)).toEqual([1, 3, 6, 12, 24]);
  expect(lifetimesAt(5.5)).toEqual([1, 3, 5]);
  expect(lifetimesAt(100)).toEqual([1, 3, 6, 12, 24, 48, 72, 100]);
  expect(lifetimesAt(0.5)).toBeNull();
});
