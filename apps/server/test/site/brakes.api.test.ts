import type { SiteStatus } from '@satchel/contract/abuse';
import { findPersona } from '@satchel/discord-sandbox/personas/personas';
import { describe, expect, test } from 'vitest';
import { consentAt, createBrowser, createTestAppWithSandbox, discordPageOf } from '../support/discord/sandbox.ts';
import { actsOf, createOperatedApp, operate } from '../support/operators.ts';
import { BYTES_TYPE, codeOf, createTus, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

/** What keeps a site from being used up: limits of the whole site, and who may have an account. */

const KIB = 1024;

/** Creates an upload; the status and the error's code. */
async function begin(app: TestApp, length: number, bytes?: Uint8Array<ArrayBuffer>) {
  const mika = await app.signIn('mika');
  const folder = await makeFolder(app, mika);
  const withBytes = bytes && { body: bytes, headers: { 'content-type': BYTES_TYPE } };
  const response = await createTus(app, mika).post({ folder, name: freshName(), length, ...withBytes });
  return [response.status, response.ok ? '' : await codeOf(response)];
}

describe('the storage of the whole site', () => {
  test('ends uploads of all accounts together, with the reason; what fits still begins', async () => {
    const app = await createTestApp({ env: { SITE_STORAGE_BYTES: '100KiB' } });
    expect(await begin(app, 90 * KIB)).toEqual([201, '']);
    expect(await begin(app, 20 * KIB)).toEqual([507, 'upload.site_full']);
    expect(await begin(app, 20 * KIB, someBytes(20 * KIB))).toEqual([507, 'upload.site_full']);
    expect(await begin(app, 5 * KIB)).toEqual([201, '']);
  });

  test('a disk with less free than is to stay free takes no upload, and everything else continues', async () => {
    const app = await createTestApp({ env: { DISK_KEPT_FREE_BYTES: '1000TiB' } });
    expect(await begin(app, 1)).toEqual([507, 'storage.full']);
    const mika = await app.signIn('mika');
    expect((await app.call('GET', '/auth/v1/user', { as: mika })).status).toBe(200);
  });
});

describe('who may have an account', () => {
  /** Where a sign-in as a persona ends: '/auth/callback', or the reason for which it failed. */
  async function signIn(app: TestApp, persona: string): Promise<string> {
    const browser = createBrowser();
    const back = await consentAt(app, browser, persona);
    const location = (await browser.get(back.href)).headers.get('location') ?? '';
    return new URLSearchParams(location.split('#')[1]).get('error_description') ?? location;
  }
  const ACCOUNTS_ONLY = 'Only certain Discord accounts can sign in here, and yours is not one of them';
  const MEMBERS_ONLY = 'This site is for members of certain Discord servers, and you are in none of them';

  test('members of the servers of the settings, the accounts of the settings, and operators', async () => {
    const [lena, ava] = ['lena', 'ava'].map((name) => findPersona(name)!.user.id);
    const { app } = await createTestAppWithSandbox({
      // Quiet Library: mika, jonas and otto.
      ALLOWED_GUILD_IDS: '9132000000000000001',
      ALLOWED_DISCORD_IDS: lena!,
    });
    expect(await signIn(app, 'otto')).toBe('/auth/callback');
    expect(await signIn(app, 'lena')).toBe('/auth/callback');
    expect(await signIn(app, 'ava')).toBe(MEMBERS_ONLY);
    const operated = await createTestAppWithSandbox({ ALLOWED_DISCORD_IDS: lena!, OPERATOR_DISCORD_IDS: ava! });
    expect(await signIn(operated.app, 'ava')).toBe('/auth/callback');
    expect(await signIn(operated.app, 'mika')).toBe(ACCOUNTS_ONLY);
  });

  test('servers are asked for only where the settings name some', async () => {
    const scopeAt = async (env: Record<string, string>) => {
      const { app } = await createTestAppWithSandbox(env);
      const page = await app.call('GET', '/auth/v1/authorize?provider=discord');
      return (await discordPageOf(page)).searchParams.get('scope');
    };
    expect(await scopeAt({})).toBe('identify email');
    expect(await scopeAt({ ALLOWED_DISCORD_IDS: '1' })).toBe('identify email');
    expect(await scopeAt({ ALLOWED_GUILD_IDS: '1' })).toBe('identify email guilds');
  });

  test('while new accounts are paused, people with one sign in, and others read why they can’t', async () => {
    const { app } = await createTestAppWithSandbox({ OPERATOR_DISCORD_IDS: findPersona('otto')!.user.id });
    expect(await signIn(app, 'mika')).toBe('/auth/callback');
    await app.database.db.execute("insert into site_switches values ('new_accounts', true)");
    expect(await signIn(app, 'mika')).toBe('/auth/callback');
    expect(await signIn(app, 'otto')).toBe('/auth/callback');
    expect(await signIn(app, 'jonas')).toBe(
      'This site takes no new accounts at the moment. Existing accounts can sign in',
    );
  });
});

describe('the operators’ view of the site', () => {
  test('has its figures and limits', async () => {
    const app = await createOperatedApp({ env: { SITE_STORAGE_BYTES: '1GiB', ALLOWED_GUILD_IDS: '1,2' } });
    expect(await begin(app, 90 * KIB)).toEqual([201, '']);
    const { status, body } = await operate<SiteStatus>(app, app.olga, 'GET', '/site');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      profiles: 3,
      folders: 1,
      booked_bytes: 90 * KIB,
      storage_bytes: 1024 ** 3,
      open_uploads: 1,
      allowed_guilds: 2,
      allowed_accounts: 0,
      is_closed: false,
    });
    expect(body.disk?.free_bytes).toBeGreaterThan(0);
  });

  test('pauses new accounts and lets them in again, and the log has both', async () => {
    const app = await createOperatedApp();
    const isClosed = async () => (await operate<SiteStatus>(app, app.oskar, 'GET', '/site')).body.is_closed;
    expect((await operate(app, app.olga, 'PUT', '/site/closed', { is_closed: true })).status).toBe(204);
    expect(await isClosed()).toBe(true);
    expect((await operate(app, app.oskar, 'PUT', '/site/closed', { is_closed: false })).status).toBe(204);
    expect(await isClosed()).toBe(false);
    expect(await actsOf(app)).toEqual(['reopen new accounts -', 'close new accounts -']);
  });
});
