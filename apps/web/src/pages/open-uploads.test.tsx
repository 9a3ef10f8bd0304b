// @vitest-environment happy-dom
import { type OpenUpload, OpenUploadList } from '@satchel/contract/open-uploads';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, onTestFinished, test } from 'vitest';
import { accountOf, hoursFromNow, listedFolder, MIKA, profileOf } from '../../test/answers.ts';
import { type Asked, askedFor, openPage, press } from '../../test/page.tsx';

/** The profile's list of unfinished uploads. */

const MIB = 1024 ** 2;
const LIST = `GET ${PATHS.uploads}?owner=me`;
const END = `DELETE ${PATHS.resumable}/`;
const folder = listedFolder(MIKA, { name: 'Holiday' });

const upload = (id: string, lengthMib: number, offsetMib: number): OpenUpload => ({
  id: `00000000-0000-4000-9000-${id.padStart(12, '0')}`,
  folder_id: folder.id,
  folder_slug: folder.slug,
  folder_name: folder.name,
  length_bytes: lengthMib * MIB,
  offset_bytes: offsetMib * MIB,
  created_at: hoursFromNow(-1),
  expires_at: hoursFromNow(23),
});

/** What the server does with requests about uploads. */
const site = { uploads: [] as OpenUpload[], lists: true, ends: true };

const reserved = () => site.uploads.reduce((sum, { length_bytes }) => sum + length_bytes, 0);

async function openProfile(uploads: readonly OpenUpload[], { lists = true } = {}): Promise<void> {
  Object.assign(site, { uploads: OpenUploadList.parse(uploads), lists, ends: true });
  const standing = ({ path }: Asked) => {
    const found = site.uploads.find(({ id }) => path.endsWith(id));
    if (!found) return new Response(null, { status: 404 });
    const headers = { 'upload-offset': String(found.offset_bytes), 'upload-length': String(found.length_bytes) };
    return new Response(null, { status: 200, headers });
  };
  const end = ({ path }: Asked) => {
    if (!site.ends) return Promise.reject(new TypeError('Failed to fetch'));
    site.uploads = site.uploads.filter(({ id }) => !path.endsWith(id));
    return new Response(null, { status: 204 });
  };
  await openPage('/profile', {
    ...accountOf(MIKA),
    [`GET ${PATHS.profileMe}`]: () => Response.json(profileOf(MIKA, { reserved_bytes: reserved() })),
    [`GET ${PATHS.folders}?owner=me`]: [folder],
    [LIST]: () => (site.lists ? Response.json(site.uploads) : Promise.reject(new TypeError('Failed to fetch'))),
    [`HEAD ${PATHS.resumable}/`]: standing,
    [END]: end,
  });
  await screen.findByRole('heading', { name: 'My Folders (1)' });
}

const section = () => screen.findByRole('region', { name: 'Unfinished uploads' });
const rowOf = async (text: string) => {
  const row = (await within(await section()).findByText(text, { exact: false })).closest('li')!;
  return within(row);
};
const isGone = () => waitFor(() => expect(screen.queryByRole('region', { name: 'Unfinished uploads' })).toBeNull());

test('without any there is no section', async () => {
  await openProfile([]);
  await isGone();
});

test('each shows folder, size and time, and no name; a list that fails says so and loads again', async () => {
  await openProfile([upload('1', 10, 4), upload('2', 3, 0)], { lists: false });
  await within(await section()).findByRole('alert');
  site.lists = true;
  await press('Try Again', 'button', within(await section()));
  const row = await rowOf('4.00 MB of 10.00 MB stored, started');
  row.getByRole('link', { name: 'Holiday' });
  await rowOf('0 Bytes of 3.00 MB stored, started');
  expect(within(await section()).getAllByRole('listitem')).toHaveLength(2);
});

test('one that runs in another tab is left to that tab, and one that this browser began is resumed where it began', async () => {
  const uploads = [upload('1', 10, 4), upload('2', 3, 0), upload('3', 2, 1)];
  await openProfile(uploads, { lists: false });
  await within(await section()).findByRole('alert');
  const { openUploadLog } = await import('../engine/uploads/log/upload-log.ts');
  const log = await openUploadLog();
  for (const { id, length_bytes } of uploads.slice(0, 2)) {
    await log.create({
      id: `of ${id}`,
      place: 'place',
      fingerprint: 'print',
      prefix: null,
      objectName: 'path/name',
      sealed: null,
      bytesTotal: length_bytes,
      url: `${PATHS.resumable}/${id}`,
      createdAtMs: 0,
      expiresAtMs: Date.parse(hoursFromNow(23)),
    });
  }
  log.close();
  const held = [{ name: `satchel-upload-of ${uploads[0]!.id}` }];
  Object.defineProperty(navigator, 'locks', { configurable: true, value: { query: async () => ({ held }) } });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'locks'));
  site.lists = true;
  await press('Try Again', 'button', within(await section()));
  const running = await rowOf('of 10.00 MB');
  running.getByText('Uploading now');
  expect(running.queryAllByRole('button')).toEqual([]);
  const begun = await rowOf('of 3.00 MB');
  expect(begun.getByRole('link', { name: 'Resume' }).getAttribute('href')).toBe(`/f/${folder.slug}?upload=true`);
  const lost = await rowOf('of 2.00 MB');
  expect(lost.queryByRole('link', { name: 'Resume' })).toBeNull();
  lost.getByRole('button', { name: 'Cancel' });
});

test('one is cancelled after a confirmation, and asked about again where the server can’t be reached', async () => {
  await openProfile([upload('1', 10, 4), upload('2', 3, 0)]);
  const row = await rowOf('of 10.00 MB');
  const cancel = row.getByRole('button', { name: 'Cancel' });
  const description = document.getElementById(cancel.getAttribute('aria-describedby') ?? '');
  expect(description?.textContent).toMatch(/^To Holiday4\.00 MB of 10\.00 MB stored, started/);
  fireEvent.click(cancel);
  const question = within(await screen.findByRole('alertdialog', { name: 'Cancel this upload?' }));
  question.getByText(/frees 10\.00 MB of your storage/);
  site.ends = false;
  await press('Yes, Cancel');
  await question.findByText('1 upload could not be cancelled. Try again.');
  site.ends = true;
  await press('Yes, Cancel');
  await waitFor(async () => expect(within(await section()).getAllByRole('listitem')).toHaveLength(1));
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Unfinished uploads'));
});

test('all of them are cancelled at once, and the section disappears', async () => {
  await openProfile([upload('1', 10, 4), upload('2', 3, 0), upload('3', 2, 1)]);
  await press('Cancel all', 'button', within(await section()));
  await screen.findByRole('alertdialog', { name: 'Cancel 3 uploads?' });
  await press('Yes, Cancel');
  await waitFor(() => expect(new Set(askedFor(END).map(({ path }) => path)).size).toBe(3));
  await isGone();
});
