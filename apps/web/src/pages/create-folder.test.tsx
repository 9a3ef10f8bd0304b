// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, listedFolder, MIKA, refusal, sessionOf } from '../../test/answers.ts';
import { type Answers, askedFor, openPage, waiting } from '../../test/page.tsx';

/** The form that creates a folder: what it takes from its address, and what it says before and after the server’s answer. */

const CREATE = `POST ${PATHS.rpc}/create_folder_with_temp_key`;

async function openForm(search = '', answers: Answers = {}): Promise<void> {
  await openPage(`/upload${search}`, { ...accountOf(MIKA), ...answers });
  await screen.findByLabelText('Folder name');
}

const textIn = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const opener = (name: RegExp) => screen.getByRole<HTMLInputElement>('radio', { name });
const turnOn = (name: string) => fireEvent.click(screen.getByRole('switch', { name }));
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const create = () => fireEvent.click(screen.getByRole('button', { name: 'Create Folder' }));

test('is filled in by its address', async () => {
  await openForm('?name=Saturday%20raid&lifetime=6&mode=discord');
  expect(textIn('Folder name')).toBe('Saturday raid');
  expect(textIn('Deletes itself after')).toBe('6');
  expect(opener(/^People in a Discord channel or chat/).checked).toBe(true);
});

test('is as it was left when the page is loaded again, but for its passphrase', async () => {
  await openForm();
  type('Folder name', 'Half written');
  turnOn('Ask for a passphrase');
  type('Passphrase', 'four brass lanterns');
  // Unlike one that is left, a page that is loaded again unmounts nothing.
  document.body.replaceChildren();
  await openForm();
  expect([textIn('Folder name'), textIn('Passphrase')]).toEqual(['Half written', '']);
});

test('shows a passphrase error at its field, and focuses the field', async () => {
  await openForm();
  turnOn('Ask for a passphrase');
  create();
  const first = screen.getByLabelText<HTMLInputElement>('Passphrase');
  await screen.findByText('Type a passphrase, or turn it off.');
  expect(first.getAttribute('aria-invalid')).toBe('true');
  await waitFor(() => expect(document.activeElement).toBe(first));
  for (const [passphrase, reason] of [
    ['heron', 'Use at least 8 characters.'],
    ['Password1', 'This is one of the passphrases that are guessed first.'],
    ['aaaaaaaaaa', 'This repeats one character.'],
  ] as const) {
    first.blur();
    type('Passphrase', passphrase);
    type('Passphrase again', passphrase);
    screen.getByText('Easy to guess. Four or five random words are better.');
    create();
    await screen.findByText(reason, { exact: false });
    await waitFor(() => expect(document.activeElement).toBe(first));
  }
  type('Passphrase', 'blue heron walks');
  screen.getByText('Fair. One more word makes it hard to guess.');
  type('Passphrase again', 'blue heron');
  create();
  await screen.findByText('The two passphrases are not the same.');
  fireEvent.click(screen.getAllByRole('button', { name: 'Show what is typed' })[0]!);
  expect(first.type).toBe('text');
  expect(askedFor(CREATE)).toEqual([]);
  expect(location.pathname).toBe('/upload');
});

test('sends what was typed, and shows the server’s refusal at its field', async () => {
  await openForm('', { [CREATE]: refusal(400, 'folder.lifetime', { hours: 24 }) });
  type('Folder name', 'Saturday raid');
  type('Description', 'Clips and maps from the summit.');
  create();
  await waitFor(() => expect(askedFor(CREATE)).toHaveLength(1));
  const typed = { folder_name: 'Saturday raid', folder_description: 'Clips and maps from the summit.' };
  expect(askedFor(CREATE)[0]?.body).toMatchObject(typed);
  await screen.findByText('A folder lives for at most 24 hours');
  expect(screen.getByLabelText('Deletes itself after').getAttribute('aria-invalid')).toBe('true');
});

test('asks who opens the folder, with the private link as its answer, and sends the one that is chosen', async () => {
  await openForm('', { [CREATE]: refusal(400, 'folder.too_many', { max: 200 }) });
  const group = within(screen.getByRole('group', { name: 'Who can open it?' }));
  const answers = group.getAllByRole<HTMLInputElement>('radio');
  expect(answers.map(({ checked }) => checked)).toEqual([true, false, false]);
  create();
  await waitFor(() => expect(askedFor(CREATE)).toHaveLength(1));
  for (const [place, name, sent] of [
    [
      1,
      /^People in a Discord channel or chat \(short link; our server holds the key for at most 24 hours\)$/,
      'encryption_key',
    ],
    [2, /^Everyone \(not encrypted\)$/, null],
    [0, /^Anyone with my full link \(we can’t read your files\)$/, 'sealed_key'],
  ] as const) {
    fireEvent.click(opener(name));
    expect(opener(name)).toBe(answers[place]);
    // A passphrase is an extra of the private link alone.
    expect(group.queryByRole('switch', { name: 'Ask for a passphrase' }) !== null).toBe(place === 0);
    await waitFor(() => expect(screen.queryByText('The folder was not created.')).toBeNull());
    create();
    await screen.findByText('The folder was not created.');
    const { body } = askedFor(CREATE).at(-1)!;
    const keys = ['encryption_key', 'sealed_key'].filter((field) => Object.hasOwn(body as object, field));
    expect(keys).toEqual(sent === null ? [] : [sent]);
  }
});

test('folds away what most folders don’t need, and opens it at an error there', async () => {
  await openForm('', { [CREATE]: refusal(400, 'folder.lifetime', { hours: 24 }) });
  const more = screen.getByText('More options').closest('details');
  expect(more?.open).toBe(false);
  screen.getByText(/deletes itself after 24 hours/);
  create();
  await waitFor(() => expect(more?.open).toBe(true));
});

test('at the folder limit shows the reason, keeps its values, and links to the profile', async () => {
  await openForm('', { [CREATE]: refusal(400, 'folder.too_many', { max: 2 }) });
  type('Folder name', 'One too many');
  create();
  await screen.findAllByText(
    'You have 2 folders, the most that an account can have. Delete one, or wait until one expires',
  );
  expect(textIn('Folder name')).toBe('One too many');
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'My folders (new tab)' });
  expect([link.pathname, link.target]).toEqual(['/profile', '_blank']);
});

const chosen = () => fireEvent.change(screen.getByLabelText('Choose files'), { target: { files: [note] } });
const note = new File(['Nine o’clock.'], 'note.txt', { type: 'text/plain' });

test('the page of the new folder is there at once, before the server is asked for it', async () => {
  await openForm('?name=Saturday%20raid', {
    [CREATE]: () => Response.json({ folder: listedFolder(MIKA, { hide_names: false }), temp_key_info: null }),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: waiting,
    [`POST ${PATHS.list}/`]: [],
    [`GET ${PATHS.uploads}`]: [],
  });
  fireEvent.click(opener(/^Everyone/));
  create();
  await screen.findByRole('heading', { name: 'Saturday raid' });
  await screen.findByText('No files yet');
  screen.getByText('Owner', { selector: 'main h1 + div *' });
});

test('asks before a link that is dropped here leaves chosen files behind', async () => {
  await openForm();
  const { router } = await import('../shell/router.tsx');
  const follow = () => void router.navigate({ to: '/privacy' });
  chosen();
  await screen.findByText('1 file selected');
  follow();
  const question = within(await screen.findByRole('alertdialog', { name: 'Leave this page?' }));
  fireEvent.click(question.getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(location.pathname).toBe('/upload');
  screen.getByText('1 file selected');
  follow();
  fireEvent.click(await screen.findByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(location.pathname).toBe('/privacy'));
});

test('takes files that were dropped before it was there', async () => {
  const session = Promise.withResolvers<Response>();
  await openPage('/upload', { ...accountOf(MIKA), [`GET ${PATHS.session}`]: () => session.promise });
  const { keepEarlyDrops } = await import('../engine/early-drop.ts');
  const opened = new AbortController();
  keepEarlyDrops(opened);
  const dataTransfer = { types: ['Files'], items: [], files: [note], getData: () => '' };
  const drop = createEvent.drop(document.body, { dataTransfer });
  Object.defineProperty(drop, 'timeStamp', { value: performance.now() });
  fireEvent(document.body, drop);
  session.resolve(Response.json(sessionOf(MIKA)));
  await screen.findByText('1 file selected');
  opened.abort();
});

test('a directory whose files are still being read as its folder is created goes to the queue of that folder', async () => {
  const folder = listedFolder(MIKA, { hide_names: false });
  const created = () => Response.json({ folder, temp_key_info: null });
  await openForm('', { [CREATE]: created, [`POST ${PATHS.rpc}/get_folder_complete_data`]: waiting });
  const { uploads } = await import('../features/upload/page-uploads.ts');
  const read = Promise.withResolvers<void>();
  const file = { isFile: true, name: note.name, file: (take: (file: File) => void) => take(note) };
  const listings = [[file], []];
  const readEntries = (take: (entries: unknown[]) => void) => read.promise.then(() => take(listings.shift()!));
  const directory = { isDirectory: true, name: 'raid', createReader: () => ({ readEntries }) };
  const items = [{ webkitGetAsEntry: () => directory }];
  fireEvent(document.body, createEvent.drop(document.body, { dataTransfer: { types: ['Files'], items, files: [] } }));
  fireEvent.click(opener(/^Everyone/));
  create();
  await waitFor(() => expect(location.pathname).toBe(`/f/${folder.slug}`));
  expect(uploads.stateOf(folder.id)).toBeNull();
  read.resolve();
  await waitFor(() => expect(uploads.stateOf(folder.id)).not.toBeNull());
});

test('offers Discord itself to a person without a session, and comes back to the same address', async () => {
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {});
  const url = 'https://discord.example/oauth2/authorize?state=x';
  await openPage('/upload?name=Raid', { [`GET ${PATHS.authorize}?provider=discord`]: { url } });
  await screen.findByRole('heading', { name: 'Sign in to create a folder' });
  fireEvent.click(screen.getByRole('button', { name: 'Continue with Discord' }));
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(url));
  expect(sessionStorage.getItem('satchel.return_to')).toBe('/upload?name=Raid');
});

test.each([
  [{ folder_name: null, lifetime_hours: null, link_mode: 'private' }, /^Discord will tell you/],
  [
    { folder_name: 'Saturday raid', lifetime_hours: null, link_mode: 'private' },
    /^Filled in by \/upload\. Discord will/,
  ],
])('says that /upload filled the form in only where it did: %o', async (asked, note) => {
  const intent = { intent_id: '0b51f9a2-3a32-4c5c-9a5f-6c9d9c8e7f10', ...asked };
  await openPage(`/upload#intent=${'i'.repeat(43)}`, { ...accountOf(MIKA), [`POST ${PATHS.redeemIntent}`]: intent });
  await screen.findByText(note);
});
