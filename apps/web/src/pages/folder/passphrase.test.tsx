// @vitest-environment happy-dom
import { encodeBase64Url } from '@satchel/container/base64url';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { fileEntry, folderData, MIKA } from '../../../test/answers.ts';
import { type Answer, askedFor, openPage } from '../../../test/page.tsx';
import type { PassphraseReply } from '../../engine/passphrase/passphrase-client.ts';

/** What the prompt for a passphrase says when a link needs one; that the right one opens is tests/e2e/keys.test.ts. */

const folder = folderData(MIKA, {
  folder_link_mode: 'private',
  temp_key_api_token: 'token',
  temp_key_passphrase: true,
});
const SECRET = encodeBase64Url(new Uint8Array(32).fill(7));
const PROVE = `POST ${PATHS.key}/`;

/** Stands for the browser’s worker, which derives a key from a passphrase for a second. */
function worker(answer: (to: Worker) => void) {
  vi.stubGlobal(
    'Worker',
    class {
      postMessage(): void {
        queueMicrotask(() => answer(this as unknown as Worker));
      }
      terminate(): void {}
    },
  );
}
const derived = (to: Worker) => {
  const data: PassphraseReply = { type: 'derived', passphraseKey: new Uint8Array(32) };
  to.onmessage?.({ data } as MessageEvent);
};
const notLoaded = (to: Worker) => to.onerror?.({ preventDefault: () => undefined } as ErrorEvent);

async function openPrompt(proof: Answer): Promise<HTMLInputElement> {
  await openPage(`/f/${folder.folder_slug}#k=${SECRET}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [fileEntry('thing.txt_1763750000000_abcdefgh.enc')],
    [`GET ${PATHS.key}/`]: { success: true, passphrase: true },
    [PROVE]: proof,
  });
  await screen.findByRole('region', { name: 'This folder needs a passphrase' });
  await screen.findByText('No Key');
  return screen.findByLabelText<HTMLInputElement>('Passphrase');
}

function tryPassphrase(field: HTMLInputElement, passphrase: string): void {
  fireEvent.change(field, { target: { value: passphrase } });
  fireEvent.click(screen.getByRole('button', { name: 'Open Files' }));
}

/** As the key service refuses a wrong passphrase. */
const wrong = (triesLeft: number) =>
  Response.json({ success: false, error: 'Wrong passphrase', tries_left: triesLeft }, { status: 403 });

test('asks for a passphrase before it tries one', async () => {
  worker(derived);
  const field = await openPrompt(() => wrong(4));
  fireEvent.click(screen.getByRole('button', { name: 'Open Files' }));
  await screen.findByText('Type the passphrase first.');
  expect(document.activeElement).toBe(field);
  expect(askedFor(PROVE)).toEqual([]);
});

test('counts the tries that are left, and says when there is none', async () => {
  worker(derived);
  const answers = [4, 3, 2, 1, 0].map(wrong);
  const noTriesLeft = () =>
    Response.json(
      { success: false, error: 'No tries left', tries_left: 0, retry_after_seconds: 1800 },
      { status: 429 },
    );
  const field = await openPrompt(() => answers.shift() ?? noTriesLeft());
  for (const left of [4, 3, 2, 1, 0]) {
    tryPassphrase(field, `guess ${left}`);
    const tries = left === 1 ? 'try' : 'tries';
    await waitFor(() =>
      expect(document.body.textContent).toContain(`Wrong passphrase. ${left} ${tries} left this hour`),
    );
  }
  tryPassphrase(field, 'the right one');
  await screen.findAllByText(/^No tries left: there were too many wrong passphrases\./);
  screen.getByText('No Key');
});

test('says that this browser failed when the worker can’t be loaded', async () => {
  worker(notLoaded);
  tryPassphrase(await openPrompt(() => wrong(4)), 'any');
  await screen.findAllByText(/^This browser could not process the passphrase\./);
  expect(askedFor(PROVE)).toEqual([]);
});
