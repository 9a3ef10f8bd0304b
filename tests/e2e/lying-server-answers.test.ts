import { importKeys, parseKey } from '@satchel/container/key';
import type { Folder } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect } from 'vitest';
import { fullLinkOf, makeFolder, visit } from '../support/browser.ts';
import type { TestFile } from '../support/files.ts';
import {
  add,
  chooser,
  heard,
  keysOf,
  type LiedTo,
  newFile,
  outcomeOf,
  question,
  test,
  visitZone,
} from '../support/lied-to.ts';
import { asksFor, type FolderFacts, folderIs, isCall, keyIs, type Lie, NO_GAIN } from '../support/lying-server.ts';

/** A lie in any answer, and lies together: the server gains nothing. Each lie against each device is in the engine's folder-lies. */

let world: LiedTo;
let page: Page;
test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
  page = world.maker.page;
});
beforeEach(() => world.calm());

const FACTS = /get_folder_complete_data/;
const CLEAR: FolderFacts = { link_mode: 'plain', hide_names: false };
const keyOfServer = (slug: string | null) => keyIs(slug, { success: true, encryption_key: world.serversKey });

/** A call of the owner on the folder is answered with other facts. */
const actSays = (name: string, facts: FolderFacts): Lie => ({
  about: isCall(name),
  change: (honest: { folder: Folder }) => ({ ...honest, folder: { ...honest.folder, ...facts } }),
});

/** Lies that begin after a call was answered, not before. */
const afterAct = (name: string, then: () => void): Lie => ({
  about: isCall(name),
  change: (honest: unknown) => {
    then();
    return honest;
  },
});

describe('a new folder, with a file that was chosen before', () => {
  /** Creates it under lies, and returns the outcome for the file. */
  async function makeWith(file: TestFile, lies: readonly Lie[]) {
    world.lie(lies);
    await page.goto(`${world.site.url}/upload`);
    await page.getByLabel('Folder name').fill('Chosen before');
    await chooser(page).setInputFiles([file]);
    await page.getByRole('button', { name: 'Create folder' }).click();
    const refusal = page.getByText(/The server made a different folder from the one you asked for/).first();
    const end = page.getByText('1 completed').or(question(page)).or(refusal).first();
    await end.waitFor();
    const outcome = (await refusal.count()) > 0 ? 'refused' : await outcomeOf(page);
    // Uploads that open with the key sealed for the server's deposit are the owner's.
    const owners = outcome === 'sent' ? await keysOf({ link: await fullLinkOf(page), deposit: world.deposit() }) : [];
    return { outcome, ...(await world.gain([file], owners)) };
  }
  const DISCORD: FolderFacts = { link_mode: 'discord', hide_names: false };

  test('tells nothing when creating it is answered with a plain one', async () => {
    const lies = [actSays('create_folder_with_temp_key', CLEAR), ...folderIs(null, CLEAR), keyOfServer(null)];
    expect(await makeWith(newFile(), lies)).toEqual({ outcome: 'refused', ...NO_GAIN });
  });

  test('nor when it is a Discord link by the next answer', async () => {
    expect(await makeWith(newFile(), [...folderIs(null, DISCORD), keyOfServer(null)])).toEqual({
      outcome: 'asked',
      ...NO_GAIN,
    });
  });

  test('nor when its storage path is another one', async () => {
    const facts: FolderFacts = { bucket_storage_path: 'somewhere/else' };
    const file = newFile();
    world.lie([actSays('create_folder_with_temp_key', facts), ...folderIs(null, facts)]);
    const choose = (form: Page) => form.getByLabel('Choose files').setInputFiles([file]);
    const link = await makeFolder(page, world.site.url, { name: 'Chosen before', fill: choose });
    await outcomeOf(page);
    expect(await world.gain([file], await keysOf({ link, deposit: world.deposit() }))).toEqual(NO_GAIN);
  });
});

describe('an existing folder', () => {
  test('tells nothing when the lies come together', async () => {
    const made = await world.make();
    const owners = await keysOf(made);
    const file = newFile();
    world.lie([...folderIs(made.slug, { link_mode: 'discord', hide_names: false }), keyOfServer(made.slug)]);
    const device = await world.secondDevice();
    await visitZone(device, made.link);
    const outcome = await add(device, file);
    expect({ outcome, ...(await world.gain([file], owners)) }).toEqual({ outcome: 'refused', ...NO_GAIN });
  });

  test('nor when saved settings are answered with a plain folder', async () => {
    const made = await world.make();
    const owners = await keysOf(made);
    const file = newFile();
    await visit(page, made.link.replace('#', '?tab=settings#'));
    const general = page.getByRole('region', { name: 'General' });
    await general.getByLabel('Description').fill('Maps and clips.');
    const begin = () => world.lie(folderIs(made.slug, CLEAR));
    world.lie([actSays('update_folder_settings', CLEAR), afterAct('update_folder_settings', begin)]);
    const refreshed = heard(page, FACTS);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await refreshed;
    const outcome = await addInPlace(file);
    expect({ outcome, ...(await world.gain([file], owners)) }).toEqual({ outcome: 'asked', ...NO_GAIN });
  });

  test('nor when a new link is followed by a Discord link', async () => {
    const made = await world.make();
    const file = newFile();
    const facts: FolderFacts = { link_mode: 'discord', hide_names: false };
    const begin = () => world.lie([...folderIs(made.slug, facts), keyOfServer(made.slug)]);
    world.lie([afterAct('generate_temp_encryption_key', begin)]);
    await visit(page, made.link);
    const refreshed = heard(page, /generate_temp_encryption_key/);
    await replaceLink();
    await refreshed;
    await page.reload();
    const outcome = await add(page, file);
    // Nothing was sent, so nothing can be sealed under another key than the owner's.
    expect({ outcome, ...(await world.gain([file], [])) }).toEqual({ outcome: 'asked', ...NO_GAIN });
  });

  test('nor when it is reported as expired, so that its keys are deleted, and plain after that', async () => {
    const made = await world.makeByPage();
    const file = newFile();
    const ended = { folder_slug: made.slug, folder_expires_at: new Date(Date.now() - 1000).toISOString() };
    world.lie([{ about: asksFor(made.slug), change: () => ended }]);
    await visitZone(page, made.link);
    await page.getByRole('heading', { name: 'Folder Expired' }).waitFor();
    world.server.tellTheTruth();
    world.lie(folderIs(made.slug, CLEAR));
    await visitZone(page, made.link.replace(/#.*/, ''));
    const outcome = await add(page, file);
    expect({ outcome, ...(await world.gain([file], [])) }).toEqual({ outcome: 'refused', ...NO_GAIN });
  });

  test('nor when it is said to be another folder of the owner’s, whose key the server has', async () => {
    const known = await world.make({ mode: 'discord' });
    const { temp_key_api_token: token } = known.data;
    const key = (await (await fetch(`${world.site.url}/bot/${known.slug}/${token}`)).json()) as {
      encryption_key: string;
    };
    const made = await world.make();
    const owners = await keysOf(made);
    const file = newFile();
    const another = { ...known.data, folder_slug: made.slug };
    world.lie([{ about: asksFor(made.slug), change: () => another }, keyIs(made.slug, { success: true, ...key })]);
    const device = await world.secondDevice();
    await visitZone(device, made.link);
    const outcome = await add(device, file);
    const servers = [await importKeys(parseKey(key.encryption_key))];
    expect({ outcome, ...(await world.gain([file], owners, servers)) }).toMatchObject(NO_GAIN);
    expect(outcome).not.toBe('sent');
  });
});

describe('a device of the owner’s without the link', () => {
  test('seals nothing under a key that the server sends', async () => {
    const made = await world.make();
    const owners = await keysOf(made);
    const file = newFile();
    world.lie([...folderIs(made.slug, { link_mode: 'discord' }), keyOfServer(made.slug)]);
    const device = await world.secondDevice();
    await visitZone(device, made.link.replace(/#.*/, ''));
    const outcome = await add(device, file);
    expect(await world.gain([file], owners)).toEqual(NO_GAIN);
    expect(outcome).not.toBe('sent');
  });
});

/** Uploads from another tab of the same page, without a visit. */
async function addInPlace(file: TestFile) {
  await page.getByRole('tab', { name: 'Folder' }).click();
  const zone = page.getByRole('button', { name: 'Upload File' });
  const hasOpened = chooser(page).or(question(page));
  await hasOpened.or(zone).first().waitFor({ state: 'attached' });
  if ((await hasOpened.count()) === 0) await zone.click();
  return add(page, file);
}

async function replaceLink(): Promise<void> {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page
    .getByRole('dialog', { name: /^Share / })
    .getByRole('button', { name: 'Make a new link' })
    .click();
  await page
    .getByRole('alertdialog', { name: 'Make a new link?' })
    .getByRole('button', { name: 'Make a new link' })
    .click();
}
