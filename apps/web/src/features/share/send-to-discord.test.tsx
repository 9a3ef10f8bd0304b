// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { folderData, MIKA } from '../../../test/answers.ts';
import { settings } from '../../lib/base/settings.ts';
import { ShareMoment } from './share-moment.tsx';

/** Which way into Discord the moment after an upload gives, by where the folder's key is. */

const ADD = 'https://discord.example/add';
vi.mock('../../lib/base/settings.ts', () => ({ settings: {} }));
beforeEach(() => {
  Object.assign(settings, { add_to_discord_url: ADD });
  // Its countdown asks for it.
  vi.stubGlobal('fetch', async () => Response.json({ server_time: new Date().toISOString() }));
});
afterEach(cleanup);

const OWNER: Role = 'owner';

/** @returns what the opened way says */
function wayOf(changes: Partial<FolderCompleteData>, key: string | null = null): string {
  const folder = folderData(MIKA, { folder_name: 'Bridge walk', ...changes });
  render(
    <I18nProvider i18n={i18n}>
      <ShareMoment
        folder={folder}
        name="Bridge walk"
        role={OWNER}
        isSecond={false}
        link={{ page: 'https://satchel.example/f/Bx7kQ2mN9pR4sT6v', key }}
        copied={false}
        onCopy={() => undefined}
        onShare={() => undefined}
      />
    </I18nProvider>,
  );
  const button = screen.getByRole('button', { name: 'Send to Discord' });
  fireEvent.click(button);
  return document.getElementById(button.getAttribute('aria-controls') ?? '')?.textContent ?? '';
}

const linkTo = (name: RegExp) => screen.queryByRole('link', { name })?.getAttribute('href');
const PRIVATE = { folder_link_mode: 'private', temp_key_passphrase: false } as const;

test('a private folder: the message carries the link with the key, or /share asks for the key', () => {
  const way = wayOf(PRIVATE, '#k=secret');
  expect(way).toContain('Copy the link and paste it into a message. It contains the key, so everyone');
  expect(way).toContain(
    'Or type /share there and choose Bridge walk. The bot asks whether our server may hold the key',
  );
  expect(way).not.toMatch(/passphrase|not encrypted/);
  expect(linkTo(/^Open Discord/)).toBe('https://discord.com/channels/@me');
  expect(linkTo(/Add Satchel/)).toBeUndefined();
});

test('a private folder with a passphrase: the passphrase goes another way', () => {
  const way = wayOf({ ...PRIVATE, temp_key_passphrase: true }, '#k=secret');
  expect(way).toContain('with the passphrase, everyone who can read the message can open the files');
  expect(way).toContain('People need the passphrase, too: send it another way.');
});

test('a restricted private folder: /share alone lets people in, once our server has the key', () => {
  const way = wayOf({ ...PRIVATE, folder_access: 'restricted' }, '#k=secret');
  expect(way).toContain('The bot asks whether our server may hold the key; then its card lets people in.');
  expect(way).not.toContain('paste it');
});

test('on a site without a bot, a private link is pasted into a message', () => {
  Object.assign(settings, { add_to_discord_url: null });
  expect(wayOf(PRIVATE, '#k=secret')).not.toContain('/share');
});

test('a Discord link: the card of /share opens it, by the key that the server has', () => {
  const way = wayOf({ folder_link_mode: 'discord' });
  expect(way).toContain('type /share and choose Bridge walk. People there get a card with Open.');
  expect(way).toContain('They need no key: our server has it as long as the Discord link is on.');
  expect(linkTo(/Add Satchel/)).toBe(ADD);
});

test('a folder that is not encrypted: the card of /share opens it without a key', () => {
  const way = wayOf({ folder_link_mode: 'plain' });
  expect(way).toContain('type /share and choose Bridge walk. People there get a card with Open.');
  expect(way).toContain('They need no key: this folder is not encrypted.');
  expect(way).not.toContain('our server has it');
});

test.each(['plain', 'discord'] as const)('on a site without a bot, a %s link is pasted into a message', (mode) => {
  Object.assign(settings, { add_to_discord_url: null });
  const way = wayOf({ folder_link_mode: mode });
  expect(way).toContain('Copy the link and paste it into a message. Everyone who can read the message can open');
  expect(way).not.toContain('/share');
  expect(linkTo(/Add Satchel/)).toBeUndefined();
});
