import { beforeEach, expect, test } from 'vitest';
import { memoryLog } from '../testing/stores.ts';
import { createJournal } from './job.ts';
import type { UploadLog } from './ports.ts';

const TAG = new Uint8Array(32).fill(1);
let log: UploadLog;

beforeEach(async () => {
  log = memoryLog();
  const entry = {
    place: 'place',
    fingerprint: 'print',
    prefix: null,
    objectName: 'a/b',
    sealed: null,
    bytesTotal: 1,
    url: null,
  };
  await log.create({ id: 'a', ...entry, createdAtMs: 1, expiresAtMs: 2 });
});

test('the journal writes its own upload’s part of the log', async () => {
  const journal = createJournal(log, 'a');
  await journal.setUrl('https://satchel.example/1');
  await journal.append(0, TAG);
  expect((await log.get('a'))?.url).toBe('https://satchel.example/1');
  expect(await log.readTags('a')).toEqual(TAG);
  await journal.remove();
  expect(await log.get('a')).toBeNull();
});

test('without a log the upload continues', async () => {
  const journal = createJournal(null, 'a');
  await journal.setUrl('https://satchel.example/1');
  await journal.append(0, TAG);
  await journal.remove();
});

test('a write that the browser aborted is repeated, and the upload can still be resumed', async () => {
  let tries = 0;
  const slow: UploadLog = {
    ...log,
    appendTags(...args) {
      tries += 1;
      return tries < 3 ? Promise.reject(new DOMException('ended', 'AbortError')) : log.appendTags(...args);
    },
  };
  await createJournal(slow, 'a', [0, 0]).append(0, TAG);
  expect(await log.readTags('a')).toEqual(TAG);
});

test('when tags can not be written the entry is deleted before the upload continues', async () => {
  const full: UploadLog = { ...log, appendTags: () => Promise.reject(new DOMException('full', 'QuotaExceededError')) };
  const journal = createJournal(full, 'a');
  await journal.append(0, TAG);
  expect(await log.get('a')).toBeNull();
  await journal.append(1, TAG);
});

test('when the entry can not be deleted either, the upload stops', async () => {
  const failure = () => Promise.reject(new DOMException('closed', 'InvalidStateError'));
  const journal = createJournal({ ...log, appendTags: failure, remove: failure }, 'a', [0]);
  await expect(journal.append(0, TAG)).rejects.toThrow('closed');
});
