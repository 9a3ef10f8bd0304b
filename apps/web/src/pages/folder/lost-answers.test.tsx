// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { listedFolder, MIKA, sealedFolder } from '../../../test/answers.ts';
import { type Answers, askedFor, openPage, press, respond, unreachable } from '../../../test/page.tsx';

/** Answers that get lost while a private link is opened: the connection is at fault, and never the key. */

const DATA = `POST ${PATHS.rpc}/get_folder_complete_data`;
const DIRECT = `GET ${PATHS.folders}/`;
const KEY = `GET ${PATHS.key}/`;

/** Opens a folder with one file; the first answers to some of its calls are lost. */
async function openLosing(lost: Readonly<Record<string, number>>): Promise<void> {
  const { address, answers } = await sealedFolder([['plan.txt']]);
  const { folder_id: id, folder_bucket_storage_path } = answers[DATA] as Record<string, string>;
  const direct = {
    ...listedFolder(MIKA, { link_mode: 'private' }),
    id,
    bucket_storage_path: folder_bucket_storage_path,
  };
  const all: Answers = { ...answers, [DIRECT]: direct };
  const left = new Map(Object.entries(lost));
  const losing = Object.entries(all).map(([call, answer]): [string, Answers[string]] => [
    call,
    (request) => {
      const times = left.get(call) ?? 0;
      left.set(call, times - 1);
      return times > 0 ? unreachable() : respond(answer, request);
    },
  ]);
  await openPage(address, Object.fromEntries(losing));
}

test.each([DATA, KEY])('a lost answer is asked for again by itself: %s', async (call) => {
  await openLosing({ [call]: 1 });
  await screen.findByText('plan.txt');
  expect(askedFor(call).length).toBeGreaterThan(1);
  expect(askedFor(DIRECT)).toEqual([]);
});

test.each([
  ['of the procedure', DATA, 'Key not found. The files are there, and nothing is wrong with your link.'],
  ['of the key service', KEY, 'Failed to fetch. The files are there, and nothing is wrong with your link.'],
])('where the answer %s stays lost, the files are listed closed, and Try Again asks again', async (_, call, error) => {
  await openLosing({ [call]: 2 });
  await screen.findByText(error);
  await screen.findByText(/^1 sealed file · /);
  screen.getByText('The key could not be fetched');
  expect(screen.queryByText('No Key')).toBeNull();
  expect(screen.queryByLabelText('Link or key')).toBeNull();
  await press('Try Again');
  await screen.findByText('plan.txt');
  await waitFor(() => expect(screen.queryByText(error)).toBeNull());
});
