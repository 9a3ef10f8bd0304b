// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, folderData, MIKA } from '../../../test/answers.ts';
import { loaded, openPage, press } from '../../../test/page.tsx';

const folder = folderData(MIKA);

/** Its upload is under way until the test completes it. */
let complete: () => void;
class UploadWorker {
  onmessage: ((event: Pick<MessageEvent, 'data'>) => void) | null = null;
  postMessage({ type }: { type: string }): void {
    const objectName = `${folder.folder_bucket_storage_path}/boat_1763750000000_abcdefgh.txt`;
    const data = { type: 'completed', objectName, fileUrl: '/boat', resumed: false, header: null };
    if (type === 'start') complete = () => this.onmessage?.({ data });
  }
  terminate(): void {}
}

test('with the last file in, the heading and what Tab leads to next are there at the same time', async () => {
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
  await vi.waitFor(() => expect(complete).toBeDefined());
  await loaded();
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
  complete();
  expect((await next)[0]).toBe('Copy link');
});
