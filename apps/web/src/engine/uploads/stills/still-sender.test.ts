import { AppError } from '@satchel/contract/errors';
import { beforeEach, expect, test } from 'vitest';
import type { MadeStill } from './encode-still.ts';
import { createStillSender, type SentFile } from './still-sender.ts';

const STILL: MadeStill = { small: new Blob(['s']), large: new Blob(['l']) };
let batches: string[][];
let tokens: boolean[];
let answers: ((names: readonly string[]) => readonly string[])[];
let facts: string[];
let sleeps: (() => void)[];
let largeBytes: number;
let made: MadeStill | null;
let sender: ReturnType<typeof createStillSender>;

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

async function wake(): Promise<void> {
  for (const go of sleeps.splice(0)) go();
  await settled();
}

beforeEach(() => {
  [batches, tokens, answers, facts, sleeps, largeBytes, made] = [[], [], [], [], [], 10, STILL];
  const told = (what: string) => (key: string) => void facts.push(`${what} ${JSON.parse(key)[2]}`);
  sender = createStillSender({
    make: async () => made,
    seal: async (_still, { storedName }) => ({
      name: storedName,
      small: new Uint8Array(10),
      large: new Uint8Array(largeBytes),
    }),
    async put(_file, frames) {
      const names = frames.map(({ name }) => name);
      batches.push(names);
      return (answers.shift() ?? ((all) => all))(names);
    },
    sleep: () => new Promise<void>((resolve) => sleeps.push(resolve)),
    shelf: {
      expect: told('expect'),
      bring: told('bring'),
      settle: (key, isStored) => told(isStored ? 'stored' : 'lost')(key),
    },
  });
});

const sent = (storedName: string, storagePath = 'p'): SentFile => ({
  file: new File(['x'], storedName),
  strips: false,
  storedName,
  folder: { bucket: 'unlocked-folders', bucket_storage_path: storagePath },
  seal: null,
  token: async (renew) => {
    tokens.push(renew);
    return 'bearer';
  },
});

test('stills that are ready together go in one request', async () => {
  void sender.add(sent('a'));
  void sender.add(sent('b'));
  await settled();
  expect([batches, facts]).toEqual([[], ['expect a', 'expect b', 'bring a', 'bring b']]);
  await wake();
  expect(batches).toEqual([['a', 'b']]);
  expect(facts.slice(4)).toEqual(['stored a', 'stored b']);
});

test('a batch has at most 32 stills of one folder, and at most 2 MiB', async () => {
  for (let at = 0; at < 33; at += 1) void sender.add(sent(`p${at}`));
  void sender.add(sent('other', 'q'));
  await settled();
  await wake();
  await wake();
  await wake();
  expect(batches.map(({ length }) => length)).toEqual([32, 1, 1]);
  largeBytes = 100 * 1024;
  for (let at = 0; at < 21; at += 1) void sender.add(sent(`large${at}`));
  await settled();
  await wake();
  await wake();
  expect(batches.slice(3).map(({ length }) => length)).toEqual([20, 1]);
});

test('a file without a still is none the worse', async () => {
  made = null;
  await sender.add(sent('a'));
  expect([batches, facts]).toEqual([[], ['expect a', 'lost a']]);
});

test('a picture as small as a still is shown from the device, and nothing is sent of it', async () => {
  const file = new File(['x'], 'a.png', { type: 'image/png' });
  await sender.add({ ...sent('a'), file });
  await wake();
  expect([batches, facts]).toEqual([[], ['expect a', 'bring a', 'stored a']]);
});

test('a still whose file is gone by then is lost, and nothing else', async () => {
  answers = [() => ['b']];
  void sender.add(sent('a'));
  void sender.add(sent('b'));
  await settled();
  await wake();
  expect(facts.slice(4)).toEqual(['lost a', 'stored b']);
});

test('without an answer a batch is sent again, and after a refused bearer with a new one', async () => {
  const cut = () => {
    throw new TypeError('Failed to fetch');
  };
  const refused = () => {
    throw new AppError('upload.unauthenticated');
  };
  answers = [cut, refused];
  void sender.add(sent('a'));
  await settled();
  await wake();
  await wake();
  await wake();
  expect([batches, tokens]).toEqual([
    [['a'], ['a'], ['a']],
    [false, false, true],
  ]);
  expect(facts.at(-1)).toBe('stored a');
});

test('what the server refuses is not sent again', async () => {
  answers = [
    () => {
      throw new AppError('folder.not_found');
    },
  ];
  void sender.add(sent('a'));
  await settled();
  await wake();
  await wake();
  expect([batches.length, facts.at(-1)]).toEqual([1, 'lost a']);
});
