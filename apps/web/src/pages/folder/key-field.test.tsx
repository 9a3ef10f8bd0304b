// @vitest-environment happy-dom
import { encodeBase64Url } from '@satchel/container/base64url';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { fileEntry, folderData, MIKA } from '../../../test/answers.ts';
import { askedFor, openPage } from '../../../test/page.tsx';

/** The field for a link or a key, where a folder says No Key; that the right one opens the files is tests/e2e/keys.test.ts. */

const SEALED = folderData(MIKA, {
  folder_link_mode: 'private',
  temp_key_api_token: 'token',
  temp_key_passphrase: false,
});
const SLUG = SEALED.folder_slug;
const SECRET = encodeBase64Url(new Uint8Array(32).fill(7));
const KEY = `GET ${PATHS.key}/`;

async function openWithoutKey(folder = SEALED): Promise<void> {
  await openPage(`/f/${SLUG}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [fileEntry('thing.txt_1763750000000_abcdefgh.enc')],
    [KEY]: () => Response.json({ success: false, error: 'Key not found' }, { status: 404 }),
  });
  await screen.findByText('No Key');
}

async function paste(text: string): Promise<HTMLInputElement> {
  const field = await screen.findByLabelText<HTMLInputElement>('Link or key');
  fireEvent.change(field, { target: { value: text } });
  fireEvent.click(screen.getByRole('button', { name: 'Open Files' }));
  return field;
}

test.each([
  ['some words', 'This is neither a link to a folder nor a key.'],
  [`https://elsewhere.example/f/${SLUG}#k=${SECRET}`, 'This link leads to another site, elsewhere.example.'],
  [
    `https://satchel.example/f/${SLUG}#k=${SECRET.slice(9)}`,
    'A part of it is missing or changed. Copy the whole link again.',
  ],
  [`https://satchel.example/f/${SLUG}`, 'This link has no key either: the part after the # sign is missing.'],
])('what opens nothing here stays in the field, with the reason: %s', async (text, reason) => {
  await openWithoutKey();
  const field = await paste(text);
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  const hint = document.getElementById(field.getAttribute('aria-describedby') ?? '');
  expect(hint?.textContent).toBe(reason);
  expect(hint?.className).toContain('text-danger');
  await waitFor(() => expect(screen.getByRole('alert')?.textContent).toBe(reason));
  fireEvent.change(field, { target: { value: `${text} ` } });
  expect(hint?.className).not.toContain('text-danger');
  expect(field.value.trim()).toBe(text);
  expect(askedFor(KEY)).toEqual([]);
});

test('a whole link is tried at once, and its secret is sent nowhere; what it fails with is said at the field', async () => {
  await openWithoutKey();
  const field = await paste(`https://satchel.example/f/${SLUG}#k=${SECRET}`);
  await waitFor(() => expect(askedFor(KEY)).toHaveLength(1));
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(window.location.hash).toBe(`#k=${SECRET}`);
  expect(JSON.stringify(askedFor(''))).not.toContain(SECRET);
});

test('to open the files is the one primary act of the page', async () => {
  await openWithoutKey();
  await screen.findByLabelText('Link or key');
  const acts = [...document.querySelectorAll('main button.bg-accent')].map(({ textContent }) => textContent);
  expect(acts).toEqual(['Open Files']);
});

test('a revoked link leaves nothing to paste', async () => {
  await openWithoutKey({ ...SEALED, folder_link_mode: 'revoked', temp_key_api_token: null });
  await screen.findByText('The link of this folder was revoked');
  expect(screen.queryByLabelText('Link or key')).toBeNull();
});
