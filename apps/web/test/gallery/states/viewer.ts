import { type FileName, ODD } from '../files.ts';
import { folder } from '../folders.ts';
import type { Hands } from '../hands.ts';
import type { State } from '../state.ts';

/** What the viewer shows of each kind of file. */

/** @param isAhead whether the file is opened before it is looked at */
const open = (
  file: FileName,
  whenOpen: (hands: Hands) => Promise<unknown>,
  isAhead = true,
): Pick<State, 'given' | 'text' | 'steps'> => ({
  given: () => folder({ files: [...new Set<FileName>([file, 'planet.webp', 'travel-notes.txt'])] }),
  text: 'Cached',
  async steps(hands) {
    // A click counts once the file is open.
    await hands.until(`the opened file ${file}`, () =>
      [...document.querySelectorAll('[role=gridcell]')].find(
        ({ textContent }) => textContent?.includes(file) && (!isAhead || /Cached|Can’t be shown/.test(textContent)),
      ),
    );
    await hands.press(file);
    await hands.dialog(file);
    await hands.gone(/^(Opening|Downloading|Decrypting)/);
    await whenOpen(hands);
  },
});
const region =
  (name: RegExp) =>
  ({ region: shown }: Hands) =>
    shown(name);
const part =
  (selector: string) =>
  ({ seen }: Hands) =>
    seen(`[role=dialog] ${selector}`);
const text =
  (said: string | RegExp) =>
  ({ shown }: Hands) =>
    shown(said);

const isImage = text('100%');
const ODD_TEXTS: Partial<Record<FileName, (hands: Hands) => Promise<unknown>>> = {
  'song.mp3': part('[aria-label="Cover of Harbour song"], [alt="Cover of Harbour song"]'),
  'locked.pdf': text(/^This PDF needs a password/),
  'bomb.zip': text(/Unpacking it may fill a disk/),
};

export const VIEWER: readonly State[] = [
  { name: 'file-image', ...open('aurora-over-the-lake.webp', isImage) },
  {
    name: 'file-facts',
    ...open('aurora-over-the-lake.webp', async (hands) => {
      await isImage(hands);
      await hands.press('About this file');
      await hands.shown('Type');
    }),
  },
  { name: 'file-video', ...open('raid-highlights.webm', part('video')) },
  { name: 'file-audio', ...open('horn.wav', part('audio')) },
  { name: 'file-text', ...open('travel-notes.txt', region(/^Text of/)) },
  { name: 'file-pdf', ...open('handbook.pdf', region(/^Pages? /)) },
  { name: 'file-other', ...open('world-save.bin', text('application/octet-stream')) },
  { name: 'file-markdown', ...open('plan.md', region(/^Text of/)) },
  { name: 'file-table', ...open('costs.csv', region(/^Table/)) },
  { name: 'file-code', ...open('leave.py', region(/^Text of/)) },
  { name: 'file-zip', ...open('trip.zip', region(/^Contents of/), false) },
  { name: 'folder-odd', given: () => folder({ name: 'Odd things', files: ODD }), text: 'Can’t be shown' },
  ...ODD.map((file) => ({
    name: `file-odd-${file.split('.').at(-1)}`,
    ...open(file, ODD_TEXTS[file] ?? (async () => undefined), !/heic|zip/.test(file)),
  })),
];
