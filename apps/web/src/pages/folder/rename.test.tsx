// @vitest-environment happy-dom
import { openLabel } from '@satchel/container/label';
import type { RelabelInput } from '@satchel/contract/api';
import type { FileEntry } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import {
  accountOf,
  type FolderLink,
  fileEntry,
  folderData,
  listedFolder,
  MIKA,
  privateLink,
  refusal,
  sealedEntry,
} from '../../../test/answers.ts';
import { type Answer, type Asked, askedFor, openPage, press } from '../../../test/page.tsx';

/** The owner gives files and directories other names: new labels for the same containers. */

const PATCH = `PATCH ${PATHS.object}/`;
const main = (name: string) =>
  waitFor(() => {
    const found = document.querySelector<HTMLElement>(`[data-main][aria-label="${name}"]`);
    expect(found, name).not.toBeNull();
    return found as HTMLElement;
  });

async function openFiles(paths: readonly string[], answer?: Answer): Promise<{ link: FolderLink; list: FileEntry[] }> {
  const link = await privateLink();
  const data = folderData(MIKA, link.facts);
  const list = await Promise.all(paths.map((path) => sealedEntry(link, path)));
  const relabelled = ({ body }: Asked) => {
    const { labels } = body as RelabelInput;
    const changed = labels.map(({ name, sealed }) => {
      const entry = list.find((one) => one.name === name) as FileEntry;
      return { ...entry, metadata: { ...entry.metadata, sealed } };
    });
    return Response.json(changed);
  };
  await openPage(`/f/${data.folder_slug}${link.fragment}`, {
    ...accountOf(MIKA),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`GET ${PATHS.key}/`]: link.key,
    [`POST ${PATHS.list}/`]: list,
    [PATCH]: answer ?? relabelled,
  });
  return { link, list };
}

async function rename(from: string, to: string): Promise<void> {
  const card = await main(from);
  card.focus();
  await waitFor(() => expect(card.tabIndex).toBe(0));
  fireEvent.keyDown(card, { key: 'F2' });
  const dialog = await screen.findByRole('dialog');
  const field = within(dialog).getByLabelText<HTMLInputElement>('Name');
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(field.value.slice(0, field.selectionEnd ?? 0)).toBe(from.replace(/^Folder |\.\w+$/g, ''));
  fireEvent.change(field, { target: { value: to } });
  await press('Rename', 'button', within(dialog));
}

test('a renamed file gets a new label for the same container, and the server can’t read the name', async () => {
  const { link, list } = await openFiles(['Trip/boat.jpg', 'map.png']);
  const before = list[1] as FileEntry;
  await rename('map.png', ' treasure map.png ');
  await main('treasure map.png');
  const [asked] = askedFor(PATCH);
  const { prefix, labels } = asked!.body as RelabelInput;
  expect([prefix, labels.length]).toEqual(['folders/Bx7kQ2mN9pR4sT6v', 1]);
  expect(labels[0]).toMatchObject({ name: before.name, earlier: before.metadata.sealed });
  const label = await openLabel(link.keyring.keys[0]!, labels[0]!.sealed, before.name);
  const earlier = await openLabel(link.keyring.keys[0]!, before.metadata.sealed!, before.name);
  expect(label).toEqual({ ...earlier, name: 'treasure map.png' });
  expect(JSON.stringify(asked)).not.toContain('treasure');
});

test('a directory takes all its files to its new name', async () => {
  await openFiles(['Trip/boat.jpg', 'Trip/day 1/a.txt', 'map.png']);
  await rename('Folder Trip', 'Journey');
  await main('Folder Journey');
  fireEvent.click(await main('Folder Journey'));
  await main('Folder day 1');
  await main('boat.jpg');
});

test.each([
  ['', 'Give it a name.'],
  ['a/b', 'A name can’t contain a slash or be only dots.'],
  ['..', 'A name can’t contain a slash or be only dots.'],
  ['x'.repeat(1025), 'This name is too long. Choose a shorter one.'],
  ['TRIP', 'Another file or folder here has this name. Choose another name.'],
  ['Other.txt', 'Another file or folder here has this name. Choose another name.'],
])('the name %j is not taken: %s', async (name, reason) => {
  await openFiles(['map.png', 'other.txt', 'Trip/a']);
  await rename('map.png', name);
  await within(screen.getByRole('dialog')).findByText(reason);
  expect(askedFor(PATCH)).toEqual([]);
});

test('a refusal is said, and the file keeps its name', async () => {
  await openFiles(['map.png'], refusal(403, 'folder.forbidden'));
  await rename('map.png', 'b.png');
  await screen.findByText(/Not renamed: Only the folder owner can do this/);
  await main('map.png');
});

test('a file that changed since keeps its name, and the list is read again', async () => {
  await openFiles(['map.png'], []);
  await rename('map.png', 'b.png');
  await screen.findByText(/The folder has changed since/);
  expect(askedFor(`POST ${PATHS.list}/`).length).toBeGreaterThan(1);
});

test('a plain file, which the server names, has no other name', async () => {
  const data = folderData(MIKA);
  await openPage(`/f/${data.folder_slug}`, {
    ...accountOf(MIKA),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.list}/`]: [fileEntry('a_1763750000000_abcdefgh.txt')],
  });
  fireEvent.keyDown(await main('a.txt'), { key: 'F2' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the owner gives the folder another name in place; Escape leaves it', async () => {
  const data = folderData(MIKA);
  await openPage(`/f/${data.folder_slug}`, {
    ...accountOf(MIKA),
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: data,
    [`POST ${PATHS.list}/`]: [fileEntry('a_1763750000000_abcdefgh.txt')],
    [`POST ${PATHS.rpc}/update_folder_settings`]: listedFolder(MIKA),
  });
  await press('Rename folder');
  const field = await screen.findByRole('textbox', { name: 'Folder name' });
  fireEvent.keyDown(field, { key: 'Escape' });
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Rename folder'));
  await press('Rename folder');
  const again = await screen.findByRole('textbox', { name: 'Folder name' });
  fireEvent.change(again, { target: { value: ' Sunday raid ' } });
  const readings = askedFor(`POST ${PATHS.rpc}/get_folder_complete_data`).length;
  await press('Save');
  await waitFor(() => expect(askedFor(`POST ${PATHS.rpc}/get_folder_complete_data`).length).toBeGreaterThan(readings));
  expect(askedFor(`POST ${PATHS.rpc}/update_folder_settings`)[0]?.body).toEqual({
    folder_id: data.folder_id,
    new_name: 'Sunday raid',
  });
  await waitFor(() => expect(screen.queryByRole('textbox', { name: 'Folder name' })).toBeNull());
});
