// @vitest-environment happy-dom
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen } from '@testing-library/react';
import { accountOf, folderData, MIKA } from '../../../test/answers.ts';
import type { State } from '../../../test/found-texts.ts';
import { type Answers, openPage } from '../../../test/page.tsx';
import { testTexts } from '../../../test/specified-texts.ts';

/** Texts of §2 "Upload zone" and of §5, before anything is uploaded. */

const SPECIFIED = [
  // §2 Upload zone, the owner’s
  'Drop files here or click to upload',
  'Support for multiple files up to 100MB each',
  'N files selected',
  'pending',
  'Add More Files',
  'size in KB',
  'Unknown type',
  'Remove',
  'Upload N files',
  'Clear All',
  // §2 Upload zone, a visitor’s
  'Sign up to create your own folders',
  'Upload files, share folders, and manage your content',
  'Get Started Free',
  // §5
  'File size (XMB) exceeds maximum allowed size (YMB)',
] as const;

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

const STATES: readonly State<Element>[] = [
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
      ['N files selected', '3 files selected'],
      ['pending', '3 pending'],
      'Add More Files',
      ['size in KB', '1.51 KB'],
      'Unknown type',
      'Remove',
      ['Upload N files', 'Upload 3 files'],
      'Clear All',
    ],
  },
  {
    name: 'a file that is too large',
    reach: () => chosen([large()]),
    texts: [
      [
        'File size (XMB) exceeds maximum allowed size (YMB)',
        'large.iso: File size (101MB) exceeds maximum allowed size (100MB)',
      ],
    ],
  },
];

testTexts(SPECIFIED, STATES);
