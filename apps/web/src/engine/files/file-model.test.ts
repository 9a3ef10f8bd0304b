import type { FolderKeys } from '@satchel/container/key';
import type { FileProof } from '@satchel/container/proof';
import type { FileEntry } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { AUTO_OPEN_BYTES } from '@satchel/contract/limits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  activityOf,
  canOpen,
  countFiles,
  createItemMaker,
  type FileContext,
  type FilesEvent,
  type FilesState,
  fileItem,
  fileKind,
  NO_ACTIVITY,
  NO_FILES,
  nextFiles,
  nextToOpen,
  opensUnasked,
} from './file-model.ts';
import type { OpenedFile } from './open/open-client.ts';

const after = (...events: FilesEvent[]): FilesState => events.reduce(nextFiles, NO_FILES);
const wanted = (id: string, asked = false): FilesEvent => ({ type: 'wanted', id, asked });
const progress = (id: string, percent = 0): FilesEvent => ({ type: 'progress', id, phase: 'decrypting', percent });
const failed = (id: string): FilesEvent => ({ type: 'failed', id, error: new AppError('open.failed') });

describe('the queue of files to open', () => {
  test('takes two at once unasked, in the order in which they came into view', () => {
    const queued = after(wanted('a'), wanted('b'), wanted('c'));
    expect(nextToOpen(queued)).toEqual(['a', 'b']);
    const running = [progress('a'), progress('b')].reduce(nextFiles, queued);
    expect(nextToOpen(running)).toEqual([]);
    expect(nextToOpen(nextFiles(running, { type: 'opened', id: 'b' }))).toEqual(['c']);
  });

  test('takes at once what was clicked', () => {
    const busy = after(wanted('a'), wanted('b'), progress('a'), progress('b'), wanted('c'), wanted('d', true));
    expect(nextToOpen(busy)).toEqual(['d']);
    expect(nextToOpen(nextFiles(busy, wanted('c', true)))).toEqual(['c', 'd']);
  });

  test('removes a file that left the view before its turn, but not one that was clicked or is running', () => {
    const left = ['a', 'b', 'c'].map((id): FilesEvent => ({ type: 'unwanted', id }));
    const state = [wanted('a'), progress('a', 3), wanted('b'), wanted('c', true), ...left].reduce(nextFiles, NO_FILES);
    expect(activityOf(state, 'a')).toMatchObject({ wanted: 'unasked', percent: 3 });
    expect(nextToOpen(state)).toEqual(['c']);
  });

  test('puts a file that came back into view behind the others', () => {
    const state = after(wanted('a'), { type: 'unwanted', id: 'a' }, wanted('b'), wanted('c'), wanted('a'));
    expect(nextToOpen(state)).toEqual(['b', 'c']);
  });

  test('never has more than two running unasked, after any events', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const event = fc.oneof(
      fc.tuple(id, fc.boolean()).map(([file, asked]) => wanted(file, asked)),
      id.map((file): FilesEvent => ({ type: 'unwanted', id: file })),
      id.map(failed),
      id.map((file): FilesEvent => ({ type: 'opened', id: file })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = NO_FILES;
        for (const next of events) {
          state = nextFiles(state, next);
          for (const started of nextToOpen(state)) state = nextFiles(state, progress(started));
          const running = [...state.values()].filter(({ phase, wanted: why }) => phase !== 'none' && why === 'unasked');
          expect(running.length).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});

describe('a file', () => {
  test('changes from queued through its phases to opened', () => {
    const state = after(wanted('a'), progress('a', 50), { type: 'opened', id: 'a' });
    expect(activityOf(state, 'a')).toEqual(NO_ACTIVITY);
  });

  test('ignores clicks while a phase is active', () => {
    const state = after(wanted('a'), progress('a', 50));
    expect(nextFiles(state, wanted('a', true))).toBe(state);
  });

  test('that failed shows its error, resets its phase, and is tried again by a click only', () => {
    const state = after(wanted('a'), progress('a', 50), failed('a'));
    expect(activityOf(state, 'a')).toMatchObject({ phase: 'none', percent: 0, error: { code: 'open.failed' } });
    expect(nextFiles(state, wanted('a'))).toBe(state);
    const again = nextFiles(state, wanted('a', true));
    expect([activityOf(again, 'a').error, nextToOpen(again)]).toEqual([null, ['a']]);
  });

  test('that was given up leaves no trace', () => {
    const known = after(wanted('a'), { type: 'opened', id: 'a' }, wanted('a'), progress('a'));
    expect(activityOf(nextFiles(known, { type: 'ended', id: 'a' }), 'a')).toEqual(NO_ACTIVITY);
    expect(nextFiles(NO_FILES, { type: 'ended', id: 'a' })).toBe(NO_FILES);
  });

  test('that is not listed any more is removed', () => {
    const state = after(wanted('a'), wanted('b'));
    expect([...nextFiles(state, { type: 'listed', ids: new Set(['b']) }).keys()]).toEqual(['b']);
    expect(nextFiles(state, { type: 'listed', ids: new Set(['a', 'b', 'c']) })).toBe(state);
  });
});

const entryOf = (name: string, size = 1000, mimetype = 'application/octet-stream'): FileEntry => ({
  id: '3f0c1a0e-7a0e-4bb5-9b44-3f9f2b8f1d11',
  name,
  created_at: '2026-03-01T12:00:00Z',
  updated_at: '2026-03-01T12:00:00Z',
  metadata: { size, mimetype, eTag: '"1"' },
});
const keys = {} as FolderKeys;
const proof: FileProof = {
  keys,
  labelKeys: keys,
  label: { name: 'holiday.png', type: 'image/png' },
  sizeBytes: 900,
  header: 'hash',
};
const SEALED = 'q8Zr2mVb4Kp0Ws9x_1772366400000_abcdef12.enc';
const context = (over: Partial<FileContext> = {}): FileContext => ({
  encrypted: true,
  verdict: proof,
  activity: NO_ACTIVITY,
  opened: null,
  still: null,
  url: '/storage/v1/object/public/b/p/x',
  unknownNames: { foreign: 'Foreign', hidden: 'Hidden' },
  ...over,
});
const opened: OpenedFile = {
  name: 'beach.webm',
  type: 'video/webm',
  blob: null,
  objectUrl: '/media/1',
  sizeBytes: 900,
};

describe('a card', () => {
  test('of an encrypted file shows the label’s name and size, and that it opens on demand', () => {
    expect(fileItem(entryOf(SEALED), context())).toMatchObject({
      name: 'holiday.png',
      sizeBytes: 900,
      category: 'image',
      kind: 'image',
      encrypted: true,
      badge: 'api',
      error: null,
    });
  });

  test('of an opened file is still called by its label', () => {
    expect(fileItem(entryOf(SEALED), context({ opened }))).toMatchObject({
      name: 'holiday.png',
      badge: 'cached',
      opened,
    });
  });

  test('without a key says so, and shows nothing that was opened', () => {
    expect(fileItem(entryOf(SEALED), context({ verdict: null, opened }))).toMatchObject({
      badge: 'none',
      opened: null,
    });
  });

  test('without a key shows readable names, and says of hidden names that they are hidden', () => {
    const nameOf = (stored: string) => fileItem(entryOf(stored), context({ verdict: null })).name;
    expect(nameOf(SEALED)).toBe('Hidden');
    expect(nameOf('save-slot-a.sav_1772366400000_abcdef12.enc')).toBe('save-slot-a.sav');
  });

  test('of an entry that nothing vouches for shows neither name, type nor picture of it', () => {
    const injected = entryOf('invoice.html', 1000, 'text/html');
    for (const entry of [injected, entryOf(SEALED)]) {
      expect(fileItem(entry, context({ verdict: 'foreign', opened }))).toMatchObject({
        name: 'Foreign',
        type: '',
        category: 'default',
        kind: 'other',
        encrypted: true,
        badge: 'foreign',
        proof: null,
        opened: null,
        error: null,
      });
    }
  });

  test('whose container is not its label’s is foreign, too, and an earlier opening is not shown', () => {
    const activity = { ...NO_ACTIVITY, error: new AppError('open.foreign') };
    const item = fileItem(entryOf(SEALED), context({ activity, opened }));
    expect(item).toMatchObject({ name: 'holiday.png', badge: 'foreign', opened: null, error: null });
    expect(canOpen(item)).toBe(false);
  });

  test('of a plain file has no badge; neither has one that ends in .enc in a plain folder', () => {
    const plain = context({ encrypted: false, verdict: null });
    expect(fileItem(entryOf('a_1772366400000_abcdef12.png'), plain)).toMatchObject({
      name: 'a.png',
      encrypted: false,
      badge: null,
    });
    expect(fileItem(entryOf(SEALED), plain)).toMatchObject({ encrypted: false, badge: null });
  });

  test('counts with its sort', () => {
    const items = [
      fileItem(entryOf(SEALED), context()),
      fileItem(entryOf(SEALED), context({ verdict: null })),
      fileItem(entryOf('invoice.pdf'), context({ verdict: 'foreign' })),
    ];
    const sizeBytes = items.reduce((sum, item) => sum + item.sizeBytes, 0);
    expect(countFiles(items)).toEqual({ total: 3, encrypted: 2, foreign: 1, sizeBytes });
    const plain = fileItem(entryOf('a.txt'), context({ encrypted: false, verdict: null }));
    expect(countFiles([plain])).toMatchObject({ total: 1, encrypted: 0, foreign: 0 });
  });

  test('is the same one as long as nothing about its file changes', () => {
    const makeItem = createItemMaker();
    const entry = entryOf(SEALED);
    const before = context();
    const item = makeItem(entry, before);
    expect(makeItem(entry, { ...before })).toBe(item);
    expect(makeItem(entry, { ...before, opened })).not.toBe(item);
  });
});

test('files are told apart by category, extension and type', () => {
  expect(fileKind('a.PNG', '')).toBe('image');
  expect(fileKind('a.mp3', '')).toBe('audio');
  expect(fileKind('song', 'audio/flac')).toBe('audio');
  expect(['audio/ogg', '', 'video/ogg'].map((type) => fileKind('a.ogg', type))).toEqual(['audio', 'audio', 'video']);
  expect(fileKind('a.tar.gz', '')).toBe('archive');
  expect(fileKind('a.pdf', '')).toBe('document');
  expect(fileKind('a.bin', '')).toBe('other');
});

test('every file of up to 25 MiB is opened unasked, and no larger one', () => {
  expect(opensUnasked({ sizeBytes: AUTO_OPEN_BYTES })).toBe(true);
  expect(opensUnasked({ sizeBytes: AUTO_OPEN_BYTES + 1 })).toBe(false);
});

test('a TypeScript program is a text, and a recording with the same ending is a film', () => {
  const named = (sizeBytes: number) => {
    const entry = entryOf('script_1772366400000_abcdef12.ts', sizeBytes, 'video/mp2t');
    const { type, category, kind } = fileItem(entry, context({ encrypted: false, verdict: null }));
    return [type, category, kind];
  };
  expect(named(500)).toEqual(['text/plain', 'default', 'document']);
  expect(named(188_000)).toEqual(['video/MP2T', 'video', 'video']);
});
