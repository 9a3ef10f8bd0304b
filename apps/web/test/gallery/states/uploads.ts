import { encodeHeader } from '@satchel/container/format';
import { hashHeader, sealLabel } from '@satchel/container/label';
import { createHeader } from '@satchel/container/seal';
import { AppError, type ErrorCode, type Params } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { FromWorker } from '../../../src/engine/uploads/upload-messages.ts';
import { hoursFromNow, MIKA } from '../../answers.ts';
import { picture } from '../files.ts';
import { folder, type GivenFolder, SLUG, type Wish } from '../folders.ts';
import type { Hands } from '../hands.ts';
import type { Given, State } from '../state.ts';

/** Uploads of a folder's owner: what their workers say is given. */

const MIB = 1024 ** 2;
const PATH = `folders/${SLUG}`;

const done = (name: string): readonly FromWorker[] => [
  { type: 'completed', objectName: `${PATH}/${name}`, fileUrl: `/${name}`, header: null },
];
/** Four of seven megabytes are on the server. */
const HALF_WAY: readonly FromWorker[] = [
  { type: 'progress', bytesSealed: 5 * MIB, bytesUploaded: 4 * MIB, bytesTotal: 7 * MIB },
];
const failed = (code: ErrorCode, params: Params = {}): readonly FromWorker[] => [
  { type: 'error', error: new AppError(code, params).toWire() },
];

const empty =
  (wish: Wish = {}, uploads: Given['uploads'] = {}) =>
  async (): Promise<GivenFolder> => ({
    ...(await folder({ name: 'Empty shelf', ...wish })),
    uploads,
  });
/** One file is complete, one in progress and one queued. */
const three = empty({}, { 'planet.webp': done('planet.webp'), 'part-one.bin': HALF_WAY });

const fileOf = (name: string, sizeBytes: number) => new File([new Uint8Array(sizeBytes)], name);
/** Larger than an account may send; its parts are the same bytes. */
const tooLarge = () => new File(Array(101).fill(new Blob([new Uint8Array(MIB)])), 'backup.iso');

async function chooseThree({ choose, shown }: Hands): Promise<void> {
  const photo = new File([await picture()], 'planet.webp', { type: 'image/webp' });
  await choose(photo, fileOf('part-one.bin', 7 * MIB), fileOf('part-two.bin', 2 * MIB), tooLarge());
  await shown('3 files selected');
}

async function beginThree(hands: Hands): Promise<void> {
  // One worker sends one file at a time.
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: 1 });
  await chooseThree(hands);
  await hands.press('Upload 3 files');
  await hands.shown('1 completed');
  await hands.shown(/^(Encrypting|Uploading) [1-9]\d%$/);
}

async function pause(hands: Hands): Promise<void> {
  await beginThree(hands);
  await hands.press('Pause');
  await hands.shown('1 paused');
}

async function uploadOne({ choose, press }: Hands, name = 'part-one.bin'): Promise<void> {
  await choose(fileOf(name, 2 * MIB));
  await press('Upload 1 file');
}

/** An upload to a folder that is sent to Discord in another way than a private one. */
const moment = (name: string, wish: Wish, answer?: string): State => ({
  name,
  given: empty({ search: '?upload=true', ...wish }, { 'part-one.bin': done('part-one.bin') }),
  text: /^Drop files here/,
  async steps(hands) {
    await uploadOne(hands);
    // This browser has not made the folder: it asks before it encrypts with a key that the server has.
    if (answer) await hands.press(answer);
    await hands.shown('1 file is in');
    await hands.press('Send to Discord');
  },
});

interface Left {
  readonly name: string;
  readonly place: string;
  readonly percent: number;
}

/** Uploads that an earlier page of this browser left, and how far the server says that they are. */
async function leftOver(...left: readonly Left[]): Promise<GivenFolder> {
  const given = await empty()();
  const { openUploadLog } = await import('../../../src/engine/uploads/log/upload-log.ts');
  const [keys] = given.link.keyring.keys;
  const log = await openUploadLog();
  for (const { name, place } of left) {
    const storedName = `${name}_1772366400000_abcdef12.enc`;
    const facts = { name, type: '', sizeBytes: 7 * MIB };
    const { prefix } = encodeHeader(createHeader({ ...facts, hidesName: true }));
    const label = { ...facts, header: await hashHeader(prefix) };
    await log.create({
      id: name,
      place,
      fingerprint: name,
      prefix,
      objectName: `${PATH}/${storedName}`,
      sealed: await sealLabel(keys!, label, storedName),
      bytesTotal: 7 * MIB,
      url: `${PATHS.resumable}/${name}`,
      createdAtMs: Date.now(),
      expiresAtMs: Date.parse(hoursFromNow(20)),
    });
  }
  log.close();
  const standings = left.map(({ name, percent }) => {
    const headers = { 'Upload-Offset': String((percent * 7 * MIB) / 100), 'Upload-Length': String(7 * MIB) };
    return [`HEAD ${PATHS.resumable}/${name}`, () => new Response(null, { headers })] as const;
  });
  return { ...given, answers: { ...given.answers, ...Object.fromEntries(standings) } };
}

/** One of them is of a file whose handle this browser has kept. */
async function resumable(): Promise<GivenFolder> {
  const { identify } = await import('@satchel/client/send/identity');
  const { keepHandles } = await import('../../../src/engine/uploads/log/file-handles.ts');
  const file = fileOf('part-three.bin', 7 * MIB);
  const { place } = await identify({ userId: MIKA.id, folderId: 'kept', path: file.name, file });
  const directory = await navigator.storage.getDirectory();
  const handle = await directory.getFileHandle(file.name, { create: true });
  await keepHandles([{ place, handle, expiresAtMs: Date.parse(hoursFromNow(20)) }]);
  return leftOver({ name: 'part-one.bin', place: 'elsewhere', percent: 50 }, { name: file.name, place, percent: 75 });
}

export const UPLOADS: readonly State[] = [
  { name: 'folder-empty-owner', given: empty(), text: 'No files yet' },
  { name: 'folder-owner-selected', given: three, text: 'No files yet', steps: chooseThree },
  { name: 'folder-owner-uploading', given: three, text: 'No files yet', steps: beginThree },
  {
    name: 'upload-dock',
    given: three,
    text: 'No files yet',
    async steps(hands) {
      await beginThree(hands);
      await hands.press('Satchel');
      await hands.shown(/^1 of 3 files/);
    },
  },
  {
    name: 'folder-owner-leave',
    given: three,
    text: 'No files yet',
    async steps(hands) {
      await beginThree(hands);
      await hands.press('Sign Out');
      await hands.dialog('Leave while files are uploading?');
    },
  },
  {
    name: 'folder-owner-waiting',
    given: three,
    text: 'No files yet',
    async steps(hands) {
      await beginThree(hands);
      hands.loseLine();
      await hands.shown('Waiting for a connection');
    },
  },
  { name: 'folder-owner-paused', given: three, text: 'No files yet', steps: pause },
  {
    name: 'folder-owner-cancel',
    given: three,
    text: 'No files yet',
    async steps(hands) {
      await pause(hands);
      await hands.press('Cancel');
      await hands.dialog('Cancel this upload?');
    },
  },
  moment('folder-owner-done', {}),
  moment('folder-owner-done-discord', { name: 'For the server', mode: 'discord' }, 'Use the server’s key'),
  moment('folder-owner-done-plain', { name: 'Open letters', mode: 'plain' }),
  {
    name: 'folder-owner-failed',
    given: empty({}, { 'part-one.bin': failed('upload.over_quota', { freeBytes: MIB }) }),
    text: 'No files yet',
    async steps(hands) {
      await uploadOne(hands);
      await hands.shown('1 failed');
    },
  },
  {
    name: 'folder-owner-changed',
    given: empty({}, { 'part-three.bin': failed('upload.changed_file') }),
    text: 'No files yet',
    async steps(hands) {
      await uploadOne(hands, 'part-three.bin');
      await hands.seen('[aria-label="Choose it again"]');
    },
  },
  {
    name: 'folder-owner-kept-metadata',
    given: empty(
      {},
      { 'damaged.jpg': [{ type: 'stripping', stripping: 'unreadable', sizeBytes: 8 }, ...done('damaged.jpg')] },
    ),
    text: 'No files yet',
    async steps(hands) {
      await uploadOne(hands, 'damaged.jpg');
      await hands.shown(/^1 file is sent unchanged/);
    },
  },
  {
    name: 'folder-owner-unfinished',
    given: () => leftOver({ name: 'part-one.bin', place: 'elsewhere', percent: 50 }),
    text: /^1 upload was not finished/,
  },
  { name: 'folder-owner-resume', given: resumable, text: /^2 uploads were not finished/ },
];
