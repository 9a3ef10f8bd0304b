// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { accountOf, folderData, MIKA } from '../../../test/answers.ts';
import { openPage, press } from '../../../test/page.tsx';

/** What the upload zone takes, refuses and warns of, before anything is sent. */

const MIB = 1024 ** 2;
const folder = folderData(MIKA, { folder_name: 'Zone' });
const LIMITS = { storage_bytes: 64 * MIB, max_file_bytes: 20 * MIB, folder_lifetime_hours: 24 };

const openZone = async () => {
  await openPage(`/f/${folder.folder_slug}?upload=true`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.rpc}/get_folder_analytics`]: 500,
    [`POST ${PATHS.list}/`]: [],
    [`GET ${PATHS.uploads}`]: [],
    ...accountOf(MIKA, { limits: LIMITS }),
  });
  await screen.findByText('Drop files here or click to upload');
};
beforeEach(openZone);

const text = (name: string) => new File([`this is ${name}`], name, { type: 'text/plain' });
/** Its size is all that is looked at. */
const sized = (name: string, mib: number) => Object.defineProperty(text(name), 'size', { value: mib * MIB });
const choose = (...files: File[]) => fireEvent.change(screen.getByLabelText('Choose files'), { target: { files } });
const rows = async () =>
  within(await screen.findByRole('list', { name: 'Files to upload' }))
    .getAllByRole('listitem')
    .map((row) => row.querySelector('p')?.textContent);

test('both limits and the free space are stated, and an upload that does not fit is warned of', async () => {
  screen.getByText('Support for multiple files up to 20MB each');
  await waitFor(() => expect(document.body.textContent).toContain('64.00 MB for your account, 64.00 MB left'));
  // A screen reader reads them after the name of the zone.
  const zone = screen.getByRole('button', { name: 'Drop files here or click to upload' });
  const described = zone.getAttribute('aria-describedby')?.split(' ') ?? [];
  expect(described.map((id) => document.getElementById(id)?.textContent).join(' ')).toMatch(
    /^Support for multiple files up to 20MB each 64\.00 MB for your account/,
  );
  choose(...[1, 2, 3, 4].map((part) => sized(`part-${part}.bin`, 17)));
  await screen.findByText(/These files need 68\.00 MB, and 64\.00 MB are left/);
  const [first] = within(screen.getByRole('list', { name: 'Files to upload' })).getAllByRole('button', {
    name: 'Remove',
  });
  fireEvent.click(first!);
  await waitFor(() => expect(screen.queryByText(/These files need/)).toBeNull());
});

test('why files were refused or skipped is said, until it is dismissed', async () => {
  const film = text('film.bin');
  choose(film, sized('large.iso', 21), sized('larger.iso', 22));
  await rows();
  choose(film);
  const notes = within(await screen.findByRole('region', { name: 'Files that were not added' }));
  await notes.findByText('1 file is on the list already: film.bin');
  notes.getByText('2 files were not added');
  const said = screen.getByRole('region', { name: 'Files that were not added' }).textContent;
  expect(said).toContain('large.iso: File size (21MB) exceeds maximum allowed size (20MB)');
  expect(said).toContain('larger.iso: File size (22MB) exceeds maximum allowed size (20MB)');
  expect(await rows()).toEqual(['film.bin']);
  await press('Dismiss', 'button', notes);
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Files that were not added' })).toBeNull());
});

/** An event with files, as the browser gives them: to read once, while it lasts. */
function withFiles(type: string, property: 'dataTransfer' | 'clipboardData', ...files: File[]): Event {
  const items = files.map((file) => ({ kind: 'file', type: file.type, getAsFile: () => file }));
  const data = { items, files, types: ['Files'], getData: () => '', dropEffect: 'none' };
  return Object.assign(new Event(type, { bubbles: true, cancelable: true }), { [property]: data });
}

test('pasted files are taken under a name that says what they are', async () => {
  fireEvent(
    document.body,
    withFiles('paste', 'clipboardData', new File(['picture'], 'image.png', { type: 'image/png' })),
  );
  expect((await rows())[0]).toMatch(/^Pasted image \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/);
});

test('files can be dropped anywhere on the page, also on another tab, which says where they go', async () => {
  await press('Info', 'tab');
  const dropped = text('dropped.txt');
  fireEvent(document.body, withFiles('dragenter', 'dataTransfer', dropped));
  await screen.findByText('Drop to pack into Zone');
  fireEvent(document.body, withFiles('drop', 'dataTransfer', dropped));
  await waitFor(() => expect(screen.queryByText('Drop to pack into Zone')).toBeNull());
  expect(await rows()).toEqual(['dropped.txt']);
});

test('a directory is taken with its paths, and what systems leave there is left out', async () => {
  const inTree = (path: string) =>
    Object.defineProperty(text(path.split('/').at(-1)!), 'webkitRelativePath', { value: path });
  const paths = ['Holiday/map.txt', 'Holiday/.DS_Store', 'Holiday/day 1/boat.txt', 'Holiday/day 1/Thumbs.db'];
  fireEvent.change(screen.getByLabelText('Choose a folder', { selector: 'input' }), {
    target: { files: paths.map(inTree) },
  });
  await screen.findByText('2 system files left out: ', { exact: false });
  // A plain folder keeps no directories: the names say them.
  expect((await rows()).sort()).toEqual(['day 1 - boat.txt', 'map.txt']);
});

test('photos lose place and device unless the person of this device wants otherwise, also after a reload', async () => {
  const photo = () => new File(['photo'], 'beach.jpg', { type: 'image/jpeg' });
  const toggle = () => screen.findByRole('switch', { name: 'Remove place and device from photos and videos' });
  choose(photo());
  expect((await toggle()).getAttribute('aria-checked')).toBe('true');
  fireEvent.click(await toggle());
  document.body.replaceChildren();
  await openZone();
  choose(photo());
  expect((await toggle()).getAttribute('aria-checked')).toBe('false');
  const orders: unknown[] = [];
  class UploadWorker {
    postMessage = (message: unknown) => void orders.push(message);
    terminate(): void {}
  }
  vi.stubGlobal('Worker', UploadWorker);
  await press('Upload 1 file');
  await waitFor(() => expect(JSON.stringify(orders)).toContain('"strips":false'));
});
