import { PATHS } from '@satchel/contract/paths';
import { AppError } from '@satchel/contract/errors';
import { accountOf, folderData, MIKA, sealedFolder } from '../answers.ts';
import type { State } from './state.ts';

const folder = folderData(MIKA);
export const STATES: readonly State[] = [
  { name: 'landing', given: () => ({ address: '/' }), text: 'How It Works' },
  {
    name: 'folder-viewer',
    given: () => sealedFolder([['planet.webp'], ['Photos/day 1/a.jpg']]),
    text: 'planet.webp',
  },
  {
    name: 'folder-owner-failed',
    given: () => ({
      address: `/f/${folder.folder_slug}?upload=true`,
      answers: {
        [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
        [`POST ${PATHS.rpc}/record_folder_event`]: 204,
        [`POST ${PATHS.list}/`]: [],
        [`GET ${PATHS.uploads}`]: [],
        ...accountOf(MIKA),
      },
      uploads: {
        'part-one.bin': [{ type: 'error', error: new AppError('upload.over_quota', { freeBytes: 1000 }).toWire() }],
      },
    }),
    text: /^Drop files here/,
    async steps({ choose, press, shown }) {
      await choose(new File(['boat'], 'part-one.bin'));
      await press('Upload 1 file');
      await shown('1 failed');
    },
  },
];
