// @vitest-environment happy-dom
import type { FolderCompleteData } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import {
  accountOf,
  folderData,
  hoursFromNow,
  listedFolder,
  MIKA,
  privateLink,
  refusal,
} from '../../../test/answers.ts';
import { type Answer, type Asked, askedFor, openPage, unreachable } from '../../../test/page.tsx';

/** The owner's Settings tab before and after the server’s answer; that the server keeps it is tests/e2e/settings.test.ts. */

const SAVE = `POST ${PATHS.rpc}/update_folder_settings`;
const NEW_LINK = `POST ${PATHS.rpc}/generate_temp_encryption_key`;
const DELETE = `POST ${PATHS.rpc}/delete_folder_complete`;

/** How the server answers to SAVE and NEW_LINK. */
let saved: Answer;
let relinked: (request: Asked) => Promise<Response> | Response;
let folder: FolderCompleteData;

beforeEach(async () => {
  const link = await privateLink();
  folder = folderData(MIKA, { ...link.facts, folder_expires_at: hoursFromNow(20) });
  saved = () => Response.json({ folder: listedFolder(MIKA) });
  relinked = relink;
  await openPage(`/f/${folder.folder_slug}?tab=settings${link.fragment}`, {
    ...accountOf(MIKA),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: () => Response.json(folder),
    [`POST ${PATHS.list}/`]: [],
    [`GET ${PATHS.key}/`]: link.key,
    [SAVE]: (request) => (saved as (of: typeof request) => Response)(request),
    [`POST ${PATHS.rpc}/stage_folder_labels`]: { missing: [] },
    [NEW_LINK]: (request) => relinked(request),
    [DELETE]: 204,
  });
  await screen.findByRole('heading', { name: 'Danger Zone' });
});

/** The server takes a new link, and says so from then on. */
function relink({ body }: Asked): Response {
  const info = {
    api_token: `token ${askedFor(NEW_LINK).length}`,
    created_at: hoursFromNow(0),
    expires_at: hoursFromNow(20),
  };
  const folder_link_mode = (body as { encrypted_key?: string }).encrypted_key ? 'discord' : 'private';
  folder = {
    ...folder,
    folder_link_mode,
    temp_key_api_token: info.api_token,
    temp_key_created_at: info.created_at,
    temp_key_expires_at: info.expires_at,
  };
  return Response.json(info);
}

const section = async (name: string) => within(await screen.findByRole('region', { name }));
const question = async (name: string) => within(await screen.findByRole('alertdialog', { name }));
const gone = () => waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());

async function nameField() {
  const general = await section('General');
  return { general, name: general.getByLabelText<HTMLInputElement>('Name') };
}
const type = (field: HTMLInputElement, value: string) => fireEvent.change(field, { target: { value } });

async function chooseEnd(label: string | RegExp) {
  const lifetime = await section('Lifetime');
  const ends = lifetime.getByLabelText<HTMLSelectElement>('Ends');
  const option = [...ends.options].find(({ text }) => (typeof label === 'string' ? text === label : label.test(text)));
  fireEvent.change(ends, { target: { value: option!.value } });
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  return { lifetime, ends };
}

test('nothing can be saved before something changes, and unsaved values can be discarded', async () => {
  const { name } = await nameField();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save changes' }).disabled).toBe(true);
  type(name, 'Never mind');
  screen.getByText('Unsaved changes');
  fireEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(name.value).toBe('Saturday raid');
  expect(askedFor(SAVE)).toEqual([]);
});

test('unsaved values are kept while another tab is open', async () => {
  type((await nameField()).name, 'Half a name');
  fireEvent.click(screen.getByRole('tab', { name: 'Info' }));
  await waitFor(() => expect(location.search).toContain('tab=info'));
  fireEvent.click(screen.getByRole('tab', { name: 'Settings' }));
  await waitFor(() => expect(location.search).toContain('tab=settings'));
  const { name } = await nameField();
  screen.getByText('Unsaved changes');
  expect(name.value).toBe('Half a name');
});

test('a refused change shows an error, and keeps the typed values', async () => {
  const { name } = await nameField();
  const answered = saved;
  saved = unreachable;
  type(name, 'Through the storm');
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('The changes were not saved.', { exact: false });
  expect(name.value).toBe('Through the storm');
  saved = answered;
  folder = { ...folder, folder_name: 'Through the storm' };
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByRole('heading', { name: 'Through the storm' });
  expect(askedFor(SAVE).at(-1)?.body).toMatchObject({ new_name: 'Through the storm' });
});

test('a description that is saved shows at once', async () => {
  const { general } = await nameField();
  type(general.getByLabelText<HTMLInputElement>('Description'), 'Maps and clips.');
  folder = { ...folder, folder_description: 'Maps and clips.' };
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await screen.findByText('Saved');
  await waitFor(() => expect(document.querySelector('main header')?.textContent).toContain('Maps and clips.'));
  expect(askedFor(SAVE).at(-1)?.body).toMatchObject({ new_description: 'Maps and clips.' });
});

const IN_PREVIEWS = { name: 'Show the folder’s name in link previews' };

test('whether link previews show the name is a choice of a plain folder’s owner alone', async () => {
  expect((await section('General')).queryByRole('switch', IN_PREVIEWS)).toBeNull();
  cleanup();
  // Another folder: this device has pinned the first one as private.
  folder = folderData(MIKA, { folder_id: '3f6d2f0e-8f4b-4f0a-9a44-5b6c7d8e9f01', folder_slug: 'Fz8kQ2mN9pR4sT6w' });
  await openPage(`/f/${folder.folder_slug}?tab=settings`, {
    ...accountOf(MIKA),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: () => Response.json(folder),
    [`POST ${PATHS.list}/`]: [],
    [SAVE]: () => Response.json({ folder: listedFolder(MIKA) }),
  });
  await screen.findByRole('heading', { name: 'Danger Zone' });
  const general = await section('General');
  const choice = await general.findByRole('switch', IN_PREVIEWS);
  expect(choice.getAttribute('aria-checked')).toBe('false');
  fireEvent.click(choice);
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  await waitFor(() => expect(askedFor(SAVE).at(-1)?.body).toMatchObject({ new_show_name_in_previews: true }));
});

test('a sooner end that is saved is said', async () => {
  folder = { ...folder, folder_expires_at: hoursFromNow(3) };
  await chooseEnd('In 3 hours');
  await screen.findByText(/^This folder now ends on /);
  const [{ body }] = askedFor(SAVE) as [Asked];
  const { new_expires_at: end } = body as { new_expires_at: string };
  expect(Math.round((Date.parse(end) - Date.now()) / 60_000)).toBe(180);
});

test('one button saves a name, an end and who gets in, in one call', async () => {
  const { name } = await nameField();
  type(name, 'Sunday raid');
  fireEvent.click((await section('More protection')).getByRole('switch', { name: 'Only people invited in Discord' }));
  folder = { ...folder, folder_name: 'Sunday raid', folder_access: 'restricted' };
  await chooseEnd('In 3 hours');
  await screen.findByText('Only people invited in Discord get in now');
  await screen.findByText(/^This folder now ends on /);
  const [save, ...more] = askedFor(SAVE).map(({ body }) => body);
  expect(save).toMatchObject({ new_name: 'Sunday raid', new_access: 'restricted', new_expires_at: expect.any(String) });
  expect(more).toEqual([]);
});

test('a near end needs a confirmation', async () => {
  await chooseEnd('In 30 minutes');
  const asked = await question('End this folder so soon?');
  asked.getByText(/The folder would end in 30 minutes/);
  fireEvent.click(asked.getByRole('button', { name: 'Cancel' }));
  await gone();
  expect(askedFor(SAVE)).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
  fireEvent.click((await question('End this folder so soon?')).getByRole('button', { name: 'Yes, Shorten' }));
  await gone();
  const [save, ...more] = askedFor(SAVE).map(({ body }) => body as { new_expires_at: string });
  expect(Math.round((Date.parse(save?.new_expires_at ?? '') - Date.now()) / 60_000)).toBe(30);
  expect(more).toEqual([]);
});

test('an end that the server refuses shows an error at its field', async () => {
  saved = refusal(400, 'folder.lifetime', { hours: 24 });
  const { lifetime, ends } = await chooseEnd(/^Latest: /);
  await lifetime.findByText('A folder lives for at most 24 hours');
  expect(ends.getAttribute('aria-invalid')).toBe('true');
});

test('the link can be changed here, too', async () => {
  const settings = await section('Link');
  const discordLink = await settings.findByRole<HTMLInputElement>('radio', { name: /^People in a Discord channel/ });
  // The folder's key is opened first.
  await waitFor(() => expect(discordLink.disabled).toBe(false));
  fireEvent.click(discordLink);
  const on = await question('Turn the Discord link on?');
  fireEvent.click(on.getByRole('button', { name: 'Turn On' }));
  await gone();
  await waitFor(() => expect(discordLink.checked).toBe(true));
  expect(askedFor(NEW_LINK).at(-1)?.body).toMatchObject({ encrypted_key: expect.stringMatching(/^[0-9a-f]{128}$/) });
  const fullLink = settings.getByRole<HTMLInputElement>('radio', { name: /^Anyone with my full link/ });
  await waitFor(() => expect(fullLink.disabled).toBe(false));
  fireEvent.click(fullLink);
  const off = await question('Make the link private again?');
  fireEvent.click(off.getByRole('button', { name: 'Make Private' }));
  await gone();
  await waitFor(() => expect(discordLink.checked).toBe(false));
  expect(askedFor(NEW_LINK)).toHaveLength(2);
  expect(askedFor(NEW_LINK).at(-1)?.body).toMatchObject({
    sealed_key: expect.any(String),
    key_share: expect.any(String),
  });
});

test('a new Discord link is known here, although the page heard of it before the answer', async () => {
  const { queryClient } = await import('../../account/session/query-client.ts');
  relinked = async (request) => {
    const answer = relink(request);
    await queryClient.refetchQueries({ queryKey: ['folder', folder.folder_slug] });
    // The page loads its keys again in this time.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return answer;
  };
  const settings = await section('Link');
  const discordLink = await settings.findByRole<HTMLInputElement>('radio', { name: /^People in a Discord channel/ });
  await waitFor(() => expect([discordLink.disabled, window.location.hash]).toEqual([false, '']));
  fireEvent.click(discordLink);
  const on = await question('Turn the Discord link on?');
  fireEvent.click(on.getByRole('button', { name: 'Turn On' }));
  await gone();
  await waitFor(() => expect(discordLink.checked).toBe(true));
});

test('deleting shows the slug, requires a typed word, and can be cancelled', async () => {
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  const asked = await question('Delete this folder?');
  asked.getByText(`/${folder.folder_slug}`);
  const yes = asked.getByRole<HTMLButtonElement>('button', { name: 'Yes, Delete Forever' });
  expect(yes.disabled).toBe(true);
  type(asked.getByLabelText<HTMLInputElement>('Type DELETE to confirm'), 'delete');
  expect(yes.disabled).toBe(false);
  fireEvent.click(asked.getByRole('button', { name: 'Cancel' }));
  await gone();
  expect(askedFor(DELETE)).toEqual([]);
});
