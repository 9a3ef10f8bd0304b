import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { newVisitor, signInAs, withoutSocket } from '../support/browser.ts';
import { randomBytesOf } from '../support/files.ts';
import { createFolderAs } from '../support/people.ts';
import { test } from '../support/shared.ts';

/** The profile's list of unfinished uploads beside another tab. What the list says and asks is apps/web/src/pages/open-uploads.test.tsx. */

const MIB = 1024 ** 2;

/** Starts an upload without a record, as after a browser's storage was cleared. Runs in the page. */
async function beginAndForget({ slug, name, length, sent }: Record<string, string | number>): Promise<void> {
  const { session } = await (await fetch('/auth/v1/session')).json();
  const folder = await (await fetch(`/rest/v1/folders/${slug}`)).json();
  const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${session.access_token}` };
  const metadata = { bucketName: 'unlocked-folders', objectName: `${folder.bucket_storage_path}/${name}` };
  const made = await fetch('/storage/v1/upload/resumable', {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(length),
      'upload-metadata': Object.entries(metadata)
        .map(([key, value]) => `${key} ${btoa(value)}`)
        .join(','),
    },
  });
  await fetch(made.headers.get('location') ?? '', {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(Number(sent)),
  });
}

async function reservedBytes(): Promise<number> {
  return ((await (await fetch('/rest/v1/profiles/me')).json()) as { reserved_bytes: number }).reserved_bytes;
}

test('an unfinished upload that runs in another tab says so, and is cancelled there, or resumed where it began', async ({
  place: { site, browser },
}) => {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-unfinished-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const film = join(dir, 'film.bin');
  await writeFile(film, randomBytesOf(8 * MIB));
  const owner = await newVisitor(browser);
  // Closing tabs cuts uploads.
  owner.allow(/net::ERR_/);
  const { page } = owner;
  const mika = await signInAs(page, site.url, 'mika');
  const link = (await createFolderAs(mika, site, { name: 'Holiday' })).link();
  const section = page.getByRole('region', { name: 'Unfinished uploads' });
  const goToProfile = async () => {
    await page.goto(`${site.url}/profile`);
    await page.getByRole('heading', { name: 'My Folders (1)' }).waitFor();
  };
  await goToProfile();
  const lost = { slug: new URL(link).pathname.split('/').at(-1) ?? '', length: 5 * MIB, sent: MIB };
  await page.evaluate(beginAndForget, { ...lost, name: 'one_1700000000000_abcdefgh.bin.enc' });

  await withoutSocket(owner.context);
  const other = await owner.context.newPage();
  await other.goto(link);
  // Start and never finish: closing the tab releases the body that the route holds, which is not the whole file.
  await owner.context.route(/upload\/resumable\//, (route) =>
    route.request().method() === 'PATCH' ? undefined : route.fallback(),
  );
  // By its path: Playwright takes some 15 s of a slow machine to hand 8 MiB to a page.
  await other.getByLabel('Choose files').setInputFiles(film);
  await other.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect.poll(() => page.evaluate(reservedBytes)).toBeGreaterThan(5 * MIB);
  await goToProfile();
  const running = section.getByRole('listitem').filter({ hasText: 'Uploading now' });
  await running.waitFor();
  expect(await running.getByRole('button').count()).toBe(0);
  await other.close({ runBeforeUnload: false });
  // No tab uploads it any more: the next load of the list shows that.
  await expect
    .poll(async () => {
      await goToProfile();
      await section.getByRole('listitem').first().waitFor();
      return section.getByRole('button', { name: 'Cancel', exact: true }).count();
    })
    .toBe(2);
  // Only the one that this browser began continues here: its folder's page asks for the file.
  await section.getByRole('link', { name: 'Resume' }).click();
  await page.getByRole('region', { name: 'Unfinished uploads' }).getByText('1 upload was not finished').waitFor();
  expect(owner.problems()).toEqual([]);
  await owner.close();
});
