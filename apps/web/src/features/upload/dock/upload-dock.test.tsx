// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openPage } from '../../../../test/page.tsx';
import type { FolderActivity } from '../../../engine/uploads/upload-activity.ts';

/** Which uploads the dock tells of. That it follows them across pages is tests/e2e/uploads-across-pages.test.ts. */

const TWO_IN: FolderActivity = {
  folderId: 'f1',
  slug: 'Bx7kQ2mN9pR4sT6v',
  name: 'Bridge walk',
  hash: '',
  files: 2,
  completed: 2,
  failed: 0,
  left: 0,
  percent: 100,
  isBusy: false,
  isHeld: false,
  hasUnfinished: false,
  isShown: false,
};

async function follow() {
  await openPage('/privacy');
  const { uploadActivity } = await import('../../../engine/uploads/upload-activity.ts');
  return (...activities: FolderActivity[]) => act(() => uploadActivity.set(activities));
}

const dock = () => screen.queryByRole('region', { name: 'Uploads' });

test('uploads that ended elsewhere are told', async () => {
  const now = await follow();
  now(TWO_IN);
  await screen.findByText('2 files uploaded');
});

test('uploads whose end was on screen are not told again once their list is hidden, but what comes later is', async () => {
  const now = await follow();
  now({ ...TWO_IN, completed: 1, left: 1, isBusy: true, isShown: false });
  await screen.findByText(/^1 of 2 files/);
  now({ ...TWO_IN, isShown: true });
  await waitFor(() => expect(dock()).toBeNull());
  now(TWO_IN);
  expect(dock()).toBeNull();
  now({ ...TWO_IN, files: 3, left: 1, isBusy: true });
  await screen.findByText(/^2 of 3 files/);
  now({ ...TWO_IN, files: 3, completed: 3 });
  await screen.findByText('3 files uploaded');
});
