// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen } from '@testing-library/react';
import { accountOf, folderData, MIKA } from '../../../test/answers.ts';
import { type Answers, openPage } from '../../../test/page.tsx';
import { type State, testTexts } from '../../../test/specified-texts.ts';

/** Texts of the upload zone, before anything is uploaded. */

const MIB = 1024 ** 2;
const folder = folderData(MIKA);

/** Opens Mika’s empty folder. */
const zone = (who: Answers = accountOf(MIKA)) =>
  openPage(`/f/${folder.folder_slug}`, {
    [`POST ${PATHS.rpc}/get_folder_complete_data`]: folder,
    [`POST ${PATHS.rpc}/record_folder_event`]: 204,
    [`POST ${PATHS.list}/`]: [],
    [`GET ${PATHS.uploads}`]: [],
    ...who,
  });

async function chosen(files: readonly File[]): Promise<Element> {
  const page = await zone();
  fireEvent.change(await screen.findByLabelText('Choose files'), { target: { files } });
  return page;
}

const file = (name: string) => new File([`What is in ${name}.`.padEnd(1550)], name);
/** Its size is all that is looked at. */
const large = () => Object.defineProperty(file('large.iso'), 'size', { value: 101 * MIB });

const STATES: readonly State[] = [
  {
    name: 'the empty zone of an owner',
    reach: () => zone(),
    texts: ['Drop files here or click to upload', 'Support for multiple files up to 100MB each'],
  },
  {
    name: 'a visitor’s prompt instead of the zone',
    reach: () => zone({}),
    texts: [
      'Sign up to create your own folders',
      'Upload files, share folders, and manage your content',
      'Get Started Free',
    ],
  },
  {
    name: 'chosen files',
    reach: () => chosen(['one.txt', 'two.txt', 'no-extension'].map(file)),
    texts: [
      '3 files selected',
      '3 pending',
      'Add More Files',
      '1.51 KB',
      'Unknown type',
      'Remove',
      'Upload 3 files',
      'Clear All',
    ],
  },
  {
    name: 'a file that is too large',
    reach: () => chosen([large()]),
    texts: ['large.iso: File size (101MB) exceeds maximum allowed size (100MB)'],
  },
];

testTexts(STATES);
