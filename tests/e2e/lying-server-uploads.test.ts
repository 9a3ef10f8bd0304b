import { randomBytes } from 'node:crypto';
import { type FolderKeys, importKeys, parseKey } from '@satchel/container/key';
import type { Folder } from '@satchel/contract/entities';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect } from 'vitest';
import { chooseOpener, makeFolder, visit } from '../support/browser.ts';
import type { TestFile } from '../support/files.ts';
import {
  add,
  chooser,
  heard,
  keysOf,
  type LiedTo,
  type Made,
  newFile,
  outcomeOf,
  question,
  startButton,
  test,
  visitZone,
} from '../support/lied-to.ts';
import { asksFor, type FolderFacts, folderIs, isCall, keyIs, type Lie, NO_GAIN } from '../support/lying-server.ts';

/** A server with the honest page and lying answers gets no plaintext, no name and no file under its key. */

let world: LiedTo;
test.beforeAll(async ({ liedTo }) => {
  world = liedTo;
});
beforeEach(() => world.calm());

describe('the server’s gain is noticed', () => {
  test('of an upload to a folder that is not encrypted: its bytes and its name', async () => {
    const { page } = world.maker;
    const file = newFile();
    const fill = (form: Page) => chooseOpener(form, 'plain');
    await world.makeByPage({ fill, files: [file] });
    const { plaintextBytes, clearNames, notOwners } = await world.gain([file], []);
    expect({ plaintextBytes, notOwners }).toEqual({ plaintextBytes: file.buffer.length, notOwners: 1 });
    expect(clearNames).toBeGreaterThan(0);
    expect(page.url()).not.toContain('#');
  });

  test('of an upload to a folder with a Discord link: a file under a key that it has', async () => {
    const file = newFile();
    const fill = (form: Page) => chooseOpener(form, 'discord');
    await world.makeByPage({ fill, files: [file] });
    const hex = /"encryption_key":"([0-9a-f]{128})"/.exec(
      world.server
        .received()
        .map(({ body }) => body)
        .join('\n'),
    )?.[1];
    const gain = await world.gain([file], [], [await importKeys(parseKey(hex ?? ''))]);
    expect(gain).toEqual({ ...NO_GAIN, sealedForServer: 1, notOwners: 1 });
  });

  test('in any encoding', async () => {
    const file = newFile();
    const [name = ''] = file.name.match(/\w{12}/) ?? [];
    const spelled = [
      ...[0, 1, 2].map((before) => Buffer.concat([randomBytes(before), Buffer.from(name)]).toString('base64url')),
      Buffer.from(name).toString('hex'),
      Buffer.from(file.name).toString('base64'),
      encodeURIComponent(file.name),
    ];
    for (const text of spelled) await fetch(`${world.site.url}/healthz?${text}`);
    await fetch(`${world.site.url}/healthz`, { method: 'POST', body: file.buffer.toString('base64') });
    const { clearNames, plaintextBytes } = await world.gain([file], []);
    expect({ clearNames, plaintextBytes }).toEqual({ clearNames: spelled.length, plaintextBytes: file.buffer.length });
  });
});

interface Attack {
  readonly name: string;
  /** Text of the question. */
  readonly says: RegExp;
  readonly lies: (slug: string) => readonly Lie[];
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'that the folder is not encrypted',
    says: /not encrypted/,
    lies: (slug) => folderIs(slug, { link_mode: 'plain' }),
  },
  {
    name: 'that the folder is a Discord link, with the server’s own key',
    says: /Discord link/,
    lies: (slug) => [
      ...folderIs(slug, { link_mode: 'discord' }),
      keyIs(slug, { success: true, encryption_key: world.serversKey }),
    ],
  },
  {
    name: 'that names are readable',
    says: /names/,
    lies: (slug) => folderIs(slug, { hide_names: false }),
  },
];

const FACTS = /get_folder_complete_data/;
const QUIET = { outcome: 'asked', ...NO_GAIN };

/** Answers the question: the waiting file is uploaded, sealed as before. */
async function keepAndSend(page: Page, file: TestFile, owners: readonly FolderKeys[]): Promise<void> {
  await question(page).getByRole('button', { name: 'Keep it private' }).click();
  await question(page).waitFor({ state: 'detached' });
  // What was started before the question continues by itself; else the person starts it.
  const start = page.getByRole('button', { name: /^Upload \d+ files?$/, disabled: false });
  await start.or(page.getByText('1 completed')).first().waitFor();
  if ((await start.count()) > 0) await start.click();
  expect(await outcomeOf(page)).toBe('sent');
  expect(world.server.uploads()).not.toEqual([]);
  expect(await world.gain([file], owners)).toEqual(NO_GAIN);
}

async function attack(page: Page, { says }: Attack, made: Made): Promise<void> {
  const owners = await keysOf(made);
  const file = newFile();
  await visitZone(page, made.link);
  const outcome = await add(page, file);
  expect({ outcome, ...(await world.gain([file], owners)) }).toEqual(QUIET);
  await question(page).getByText(says).first().waitFor();
  await keepAndSend(page, file, owners);
}

// What each device knows against each of these lies is in the engine's tests (folder-lies, folder-trust): here each lie meets
// one device, and each way to a page one lie.
describe('a server that lies gets nothing', () => {
  const [plain, discord, names] = ATTACKS as readonly [Attack, Attack, Attack];

  test('from the device that created the folder: it asks, and seals as before on confirmation', async () => {
    const made = await world.makeByPage();
    world.lie(plain.lies(made.slug));
    await attack(world.maker.page, plain, made);
  });

  test('from either of two tabs', async () => {
    const made = await world.makeByPage();
    const owners = await keysOf(made);
    const [early, late, last] = [newFile(), newFile(), newFile()];
    const { page, context } = { page: world.maker.page, context: world.maker.context };
    const other = await context.newPage();
    world.lie(plain.lies(made.slug));
    // This tab was open before the lie; at the latest, the refresh after an upload shows it the lie.
    const refreshed = heard(page, FACTS);
    await visitZone(other, made.link);
    const second = await add(other, late);
    await add(page, early);
    await refreshed;
    const first = await add(page, last, 2);
    const gain = await world.gain([early, late, last], owners);
    expect({ first, second, ...gain }).toEqual({ first: 'asked', second: 'asked', ...NO_GAIN });
    await other.close();
  });

  test('after a reload', async () => {
    const made = await world.makeByPage();
    const owners = await keysOf(made);
    const file = newFile();
    world.lie(discord.lies(made.slug));
    await world.maker.page.reload();
    const outcome = await add(world.maker.page, file);
    expect({ outcome, ...(await world.gain([file], owners)) }).toEqual(QUIET);
  });

  test('from a queue that was open when the answer changed', async () => {
    const made = await world.makeByPage();
    const owners = await keysOf(made);
    const [first, second] = [newFile(), newFile()];
    const { page } = world.maker;
    await chooser(page).setInputFiles([first]);
    const refreshed = heard(page, FACTS);
    world.lie(names.lies(made.slug));
    await startButton(page).click();
    await refreshed;
    const outcome = await add(page, second, 2);
    expect({ outcome, ...(await world.gain([first, second], owners)) }).toEqual(QUIET);
  });
});

const CLEAR: FolderFacts = { link_mode: 'plain', hide_names: false };

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

/** Uploads from another tab of the same page, without a visit. */
async function addInPlace(page: Page, file: TestFile) {
  await page.getByRole('tab', { name: 'Folder' }).click();
  const zone = page.getByRole('button', { name: 'Upload File' });
  const hasOpened = chooser(page).or(question(page));
  await hasOpened.or(zone).first().waitFor({ state: 'attached' });
  if ((await hasOpened.count()) === 0) await zone.click();
  return add(page, file);
}

describe('an answer to the owner’s own act tells the server', () => {
  test('to a new folder: nothing by another storage path', async () => {
    const { page } = world.maker;
    const facts: FolderFacts = { bucket_storage_path: 'somewhere/else' };
    const file = newFile();
    world.lie([actSays('create_folder_with_temp_key', facts), ...folderIs(null, facts)]);
    const choose = (form: Page) => form.getByLabel('Choose files').setInputFiles([file]);
    const link = await makeFolder(page, world.site.url, { name: 'Chosen before', fill: choose });
    await outcomeOf(page);
    expect(await world.gain([file], await keysOf({ link, deposit: world.deposit() }))).toEqual(NO_GAIN);
  });

  test('nothing when saved settings are answered with a plain folder', async () => {
    const { page } = world.maker;
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
    const outcome = await addInPlace(page, file);
    expect({ outcome, ...(await world.gain([file], owners)) }).toEqual({ outcome: 'asked', ...NO_GAIN });
  });

  test('nothing when a folder is reported as expired, so that its keys are deleted, and plain after that', async () => {
    const { page } = world.maker;
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
});
