// @vitest-environment happy-dom

import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, folderData, MIKA } from '../../../test/answers.ts';
import { openPage, press } from '../../../test/page.tsx';

const folder = folderData(MIKA);

/** An upload is under way until the test completes it, or lets it fail. */
let upload: { complete: () => void; fail: () => void } | null;
class UploadWorker {
  onmessage: ((event: Pick<MessageEvent, 'data'>) => void) | null = null;
  postMessage({ type }: { type: string }): void {
    const objectName = `${folder.folder_bucket_storage_path}/boat_1763750000000_abcdefgh.txt`;
    const data = { type: 'completed', objectName, fileUrl: '/boat', header: null };
    if (type !== 'start') return;
    const error = new AppError('upload.chunk_failed', { status: 500, statusText: 'Server Error' }).toWire();
    upload = {
      complete: () => this.onmessage?.({ data }),
      fail: () => this.onmessage?.({ data: { type: 'error', error } }),
    };
  }
  terminate(): void {}
}

/** Uploads one file, which is under way then. */
async function begin(): Promise<void> {
  upload = null;
  await openPage(`/f/${folder.folder_slug}?upload=true`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [],
    [`GET ${PATHS.uploads}`]: [],
    ...accountOf(MIKA),
  });
  vi.stubGlobal('Worker', UploadWorker);
  fireEvent.change(await screen.findByLabelText('Choose files'), {
    target: { files: [new File(['boat'], 'boat.txt')] },
  });
  await press('Upload 1 file');
  await vi.waitFor(() => expect(upload).not.toBeNull(), WAIT_MS);
  await vi.dynamicImportSettled();
}

test('with the last file in, the heading and what Tab leads to next are there at the same time', async () => {
  await begin();
  const next = new Promise<string[]>((resolve) => {
    const watch = new MutationObserver(() => {
      const heading = screen.queryByRole('heading', { name: '1 file is in' });
      if (!heading) return;
      watch.disconnect();
      const after = [...document.querySelectorAll('button')].filter(
        (button) => heading.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING,
      );
      resolve(after.map(({ textContent }) => textContent ?? ''));
    });
    watch.observe(document.body, { childList: true, subtree: true });
  });
  upload?.complete();
  expect((await next)[0]).toBe('Copy link');
});

test('the moment has one primary act, Copy link, and the code of the link', async () => {
  await begin();
  upload?.complete();
  await screen.findByRole('heading', { name: '1 file is in' });
  const primary = [...document.querySelectorAll('main .bg-accent')].filter((element) => element.matches('button, a'));
  expect(primary.map(({ textContent }) => textContent)).toEqual(['Copy link']);
  expect(screen.getAllByRole('img', { name: /^QR code of the link/ })).toHaveLength(1);
});

test('with the last file in, the focus of the pressed button comes to Copy link', async () => {
  await begin();
  screen.getByRole('button', { name: 'Upload 1 file' }).focus();
  upload?.complete();
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Copy link'), WAIT_MS);
});

test('the button counts the file that is sent, and is hidden with the focus moved on where it would count none', async () => {
  await begin();
  const button = screen.getByRole('button', { name: 'Upload 1 file' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  button.focus();
  upload?.fail();
  await screen.findByRole('button', { name: 'Retry' });
  expect(screen.queryByRole('button', { name: /^Upload \d/ })).toBeNull();
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Retry 1 file'), WAIT_MS);
});
