import { CHOSEN_FILES_MAX, type Choice, SMALL_FILE_BYTES } from '@satchel/client/send/order';
import { describe, expect, test } from 'vitest';
import { handleOf } from '../log/dropped-handles.ts';
import { directoryFiles, droppedFiles, pastedFiles, pickedFiles, saysSomething } from './chosen-files.ts';
import { dragDataOf } from './drag-data.ts';

const fileOf = (name: string, type = '') => new File(['x'], name, { type });
const namesOf = ({ files }: Choice) => files.map(({ name }) => name);
const pathsOf = ({ files }: Choice) => files.map(({ path }) => path);

/** A file as a picker for directories hands it out. */
function below(path: string): File {
  const file = fileOf(path.split('/').at(-1) ?? '');
  Object.defineProperty(file, 'webkitRelativePath', { value: path });
  return file;
}

const fileEntry = (name: string) => ({
  name,
  isFile: true,
  isDirectory: false,
  file: (give: (file: File) => void) => give(fileOf(name)),
});

/** A directory as a browser hands it out, a hundred entries at a time. */
function directoryEntry(name: string, ...inner: unknown[]) {
  const left = [...inner];
  const readEntries = (give: (entries: unknown[]) => void) => give(left.splice(0, 100));
  return { name, isFile: false, isDirectory: true, createReader: () => ({ readEntries }) };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => fileEntry(`${at}.txt`));
const dropOf = (...entries: unknown[]) =>
  dragDataOf({
    items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })),
    files: [fileOf('loose.txt')],
  } as unknown as DataTransfer);

describe('dropped', () => {
  test('files keep their names', async () => {
    const choice = await droppedFiles(dropOf(fileEntry('loose.txt')));
    expect([namesOf(choice), choice.isCut]).toEqual([['loose.txt'], false]);
  });

  test('a directory is read whole, with what lies beside it', async () => {
    const choice = await droppedFiles(dropOf(directoryEntry('Holiday', ...many(250)), fileEntry('a.txt')));
    expect([choice.files.length, choice.isCut]).toEqual([251, false]);
  });

  test('the files of a directory are read at the same time, since each takes a way through the browser', async () => {
    const asked: (() => void)[] = [];
    const slowEntry = (name: string) => ({
      ...fileEntry(name),
      file(give: (file: File) => void) {
        asked.push(() => give(fileOf(name)));
        if (asked.length === 3) for (const answer of asked) answer();
      },
    });
    const names = ['a.txt', 'b.txt', 'c.txt'];
    const choice = await droppedFiles(dropOf(directoryEntry('Holiday', ...names.map(slowEntry))));
    expect(namesOf(choice)).toEqual(names);
  });

  test('an unreadable file is named, and the others are taken', async () => {
    const fail = (_give: unknown, refuse: (error: Error) => void) => refuse(new Error('NotReadableError'));
    const closedFile = { ...fileEntry('gone.txt'), file: fail };
    const closedDirectory = { ...directoryEntry('private'), createReader: () => ({ readEntries: fail }) };
    const choice = await droppedFiles(
      dropOf(directoryEntry('Holiday', fileEntry('a.txt'), closedFile, closedDirectory, fileEntry('b.txt'))),
    );
    expect(namesOf(choice)).toEqual(['a.txt', 'b.txt']);
    expect(choice.unreadable).toEqual(['gone.txt', 'private']);
  });

  test('a directory of too many files is cut, and that is said', async () => {
    const full = await droppedFiles(dropOf(directoryEntry('Full', ...many(CHOSEN_FILES_MAX))));
    expect([full.files.length, full.isCut]).toEqual([CHOSEN_FILES_MAX, false]);
    const over = await droppedFiles(dropOf(directoryEntry('Full', ...many(CHOSEN_FILES_MAX)), fileEntry('a')));
    expect([over.files.length, over.isCut]).toEqual([CHOSEN_FILES_MAX, true]);
  });

  test('and a picked one of thousands let the page have its turns while they are read and put in order', async () => {
    const inner = many(CHOSEN_FILES_MAX + 600);
    const paths = inner.map(({ name }) => below(`Full/${name}`));
    for (const [count, choose] of [
      [CHOSEN_FILES_MAX, () => droppedFiles(dropOf(directoryEntry('Full', ...inner)))],
      [CHOSEN_FILES_MAX + 600, () => pickedFiles(paths)],
    ] as const) {
      let [turns, isOver] = [0, false];
      const turn = () => {
        turns += 1;
        if (!isOver) setImmediate(turn);
      };
      setImmediate(turn);
      const { files } = await choose();
      isOver = true;
      expect(files.length).toBe(count);
      expect(turns).toBeGreaterThan(CHOSEN_FILES_MAX / 500);
    }
  });

  test('sizes, which the browser asks the disk for, are first read with turns of the page between', async () => {
    let [reads, most, isOver] = [0, 0, false];
    const files = Array.from({ length: 1000 }, (_, at) =>
      Object.defineProperty(below(`Full/${at}`), 'size', {
        get: () => {
          reads += 1;
          return 1;
        },
      }),
    );
    let before = 0;
    const turn = () => {
      most = Math.max(most, reads - before);
      before = reads;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await pickedFiles(files);
    isOver = true;
    expect(reads).toBe(1000);
    expect(most).toBeLessThanOrEqual(400);
  });

  test('a system’s own files take no other file’s place without a word', async () => {
    const inner = [fileEntry('.DS_Store'), fileEntry('Thumbs.db'), ...many(CHOSEN_FILES_MAX + 10)];
    const choice = await droppedFiles(dropOf(directoryEntry('Holiday', ...inner)));
    expect([choice.files.length, choice.isCut]).toEqual([CHOSEN_FILES_MAX, true]);
  });

  test('nested files are told apart by their directories', async () => {
    const day = (name: string) => directoryEntry(name, fileEntry('boat.jpg'));
    const choice = await droppedFiles(
      dropOf(directoryEntry('Holiday', fileEntry('map.png'), day('day 1'), day('day 2'))),
    );
    expect(namesOf(choice)).toEqual(['day 1 - boat.jpg', 'day 2 - boat.jpg', 'map.png']);
    expect(pathsOf(choice)).toEqual(['Holiday/day 1/boat.jpg', 'Holiday/day 2/boat.jpg', 'Holiday/map.png']);
  });

  test('of several directories each says its name', async () => {
    const site = (name: string) => directoryEntry(name, fileEntry('index.html'));
    const choice = await droppedFiles(dropOf(site('old'), site('new'), fileEntry('loose.txt')));
    expect(namesOf(choice)).toEqual(['new - index.html', 'old - index.html', 'loose.txt']);
  });

  test('a tree of three levels is sorted by name, not in the system’s order', async () => {
    const day = (name: string) => directoryEntry(name, ...['10.jpg', '9.jpg', 'A.jpg', 'a.jpg'].map(fileEntry));
    const choice = await droppedFiles(
      dropOf(directoryEntry('Trip', fileEntry('a.txt'), directoryEntry('days', day('day 10'), day('day 2')))),
    );
    const inDay = (name: string) => ['9.jpg', '10.jpg', 'A.jpg', 'a.jpg'].map((file) => `Trip/days/${name}/${file}`);
    expect(pathsOf(choice)).toEqual([...inDay('day 2'), ...inDay('day 10'), 'Trip/a.txt']);
  });

  test('of a chosen directory come in the order of its tree, without what can’t be read and what systems leave', async () => {
    const size = SMALL_FILE_BYTES + 1;
    const file = (name: string, sizeBytes = 1) => ({
      kind: 'file',
      name,
      getFile: async () => new File([new Uint8Array(sizeBytes)], name),
    });
    const gone = { kind: 'file', name: 'gone.txt', getFile: () => Promise.reject(new Error('gone')) };
    const directory = (name: string, ...inner: unknown[]) => ({
      kind: 'directory',
      name,
      async *values() {
        yield* inner;
        if (name === 'locked') throw new Error('locked');
      },
    });
    const inner = [directory('day 2', file('b.txt')), directory('locked'), directory('day 1', file('film.mkv', size))];
    const tree = directory('Holiday', file('a.txt'), gone, file('.DS_Store'), ...inner);
    const choice = await directoryFiles(tree as unknown as FileSystemDirectoryHandle);
    expect(choice.files.map(({ path, file }) => [path, handleOf(file)?.name])).toEqual([
      ['Holiday/day 1/film.mkv', 'film.mkv'],
      ['Holiday/day 2/b.txt', undefined],
      ['Holiday/a.txt', undefined],
    ]);
    expect([choice.leftOut, choice.unreadable, choice.isCut]).toEqual([['.DS_Store'], ['gone.txt', 'locked'], false]);
  });

  test('large files of a tree keep the handles that lead back to them after a reload; small ones leave nothing to continue with', async () => {
    const handle = (name: string) => ({ kind: 'file', name });
    const within = (name: string): unknown => ({
      kind: 'directory',
      name,
      getFileHandle: async (file: string) => handle(`${name}/${file}`),
      getDirectoryHandle: async (inner: string) => within(`${name}/${inner}`),
    });
    const large = (name: string) => ({
      ...fileEntry(name),
      file: (give: (file: File) => void) => give(new File([new Uint8Array(2 ** 20 + 1)], name)),
    });
    const tree = directoryEntry('Trip', directoryEntry('day 1', large('film.mp4'), fileEntry('note.txt')));
    const items = [
      { webkitGetAsEntry: () => tree, getAsFileSystemHandle: async () => within('Trip') },
      { webkitGetAsEntry: () => fileEntry('loose.txt'), getAsFileSystemHandle: async () => handle('loose.txt') },
    ];
    const { files } = await droppedFiles(dragDataOf({ items, files: [] } as unknown as DataTransfer));
    expect(files.map(({ path, file }) => [path, handleOf(file)?.name])).toEqual([
      ['Trip/day 1/film.mp4', 'Trip/day 1/film.mp4'],
      ['Trip/day 1/note.txt', undefined],
      ['loose.txt', 'loose.txt'],
    ]);
  });

  test('directories without files say nothing', async () => {
    const choice = await droppedFiles(dropOf(directoryEntry('Nothing', directoryEntry('in'), directoryEntry('here'))));
    expect(saysSomething(choice)).toBe(false);
  });
});

describe('picked', () => {
  test('a directory’s files are named as dropped ones are', async () => {
    const choice = await pickedFiles([below('Holiday/map.png'), below('Holiday/day 1/boat.jpg')]);
    expect(namesOf(choice)).toEqual(['day 1 - boat.jpg', 'map.png']);
  });

  test('what an operating system leaves in directories is left out, and named', async () => {
    const junk = ['Holiday/.DS_Store', 'Holiday/day 1/Thumbs.db', 'Holiday/._map.png', '__MACOSX/Holiday/map.png'];
    const choice = await pickedFiles([...junk.map(below), below('Holiday/map.png')]);
    expect(namesOf(choice)).toEqual(['map.png']);
    expect(choice.leftOut).toEqual(['.DS_Store', 'Thumbs.db', '._map.png', 'map.png']);
  });

  test('such a file that is picked by itself is meant', async () => {
    expect(namesOf(await pickedFiles([fileOf('.DS_Store')]))).toEqual(['.DS_Store']);
  });
});

describe('pasted', () => {
  const now = new Date(2026, 2, 14, 21, 4, 5);
  const paste = async (...files: File[]) => namesOf(await pastedFiles(files, (stamp) => `Pasted image ${stamp}`, now));

  test('a screenshot gets a name that says when it was', async () => {
    expect(await paste(fileOf('image.png', 'image/png'))).toEqual(['Pasted image 2026-03-14 21.04.05.png']);
  });

  test('a picture without any name gets its type’s extension', async () => {
    expect(await paste(fileOf('', 'image/svg+xml'))).toEqual(['Pasted image 2026-03-14 21.04.05.svg']);
  });

  test('two at once are told apart', async () => {
    expect(await paste(fileOf('image.png', 'image/png'), fileOf('image.png', 'image/png'))).toEqual([
      'Pasted image 2026-03-14 21.04.05.png',
      'Pasted image 2026-03-14 21.04.05 (2).png',
    ]);
  });

  test('copied files keep their names', async () => {
    expect(await paste(fileOf('boat.jpg', 'image/jpeg'), fileOf('image', ''))).toEqual(['boat.jpg', 'image']);
  });
});
