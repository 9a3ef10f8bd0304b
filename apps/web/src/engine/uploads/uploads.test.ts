import type { ExistingFile } from '@satchel/client/send/list/collisions';
import type { UploadNews } from '@satchel/client/send/list/upload-news';
import { type Choice, SMALL_FILE_BYTES, type UploadEvent } from '@satchel/client/send/order';
import { AppError } from '@satchel/contract/errors';
import { WAIT_MS } from '@satchel/contract/testing/pace';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { followKeyChanges, tellKeyChange } from '../keys/key-news.ts';
import { uploadActivity } from './upload-activity.ts';
import type { UploadHandle, UploadRequest } from './upload-client.ts';
import type { UploadPlace, UploadTarget } from './upload-target.ts';
import { createUploads, type Uploads } from './uploads.ts';

/** The uploads of a tab without a browser: workers are handles that tests speak for. */

interface Started extends UploadHandle {
  readonly request: UploadRequest;
  readonly told: string[];
}

let started: Started[];
let news: UploadNews[];
let busy: boolean[];
let replaced: string[];
let uploads: Uploads;
let workersMax: number;

function startUpload(request: UploadRequest): UploadHandle {
  const told: string[] = [];
  const tell = (word: string) => () => void told.push(word);
  const cancel = async () => void told.push('cancel');
  const handle = {
    request,
    told,
    pause: tell('pause'),
    resume: tell('resume'),
    hurry: tell('hurry'),
    release: tell('release'),
    cancel,
  };
  started.push(handle);
  return handle;
}

const placeOf = (folderId: string, userId = 'mika'): UploadPlace => ({
  folderId,
  slug: `slug-${folderId}`,
  name: `Folder ${folderId}`,
  hash: `secret-${folderId}`,
  userId,
});
const targetOf = (folderId: string, given: Partial<UploadTarget> = {}): UploadTarget => ({
  ...placeOf(folderId),
  folder: {
    id: folderId,
    slug: `slug-${folderId}`,
    bucket: 'unlocked-folders',
    bucket_storage_path: folderId,
    hide_names: false,
    link_mode: 'plain',
    expires_at: '2100-01-01T00:00:00Z',
  },
  keys: null,
  linkToken: null,
  isHeld: false,
  isChecking: false,
  fileCount: 0,
  directory: '',
  existing: [],
  maxFileBytes: 100,
  token: async () => 'bearer',
  onStart: () => false,
  onFiles: () => {},
  ...given,
});
const choice = (...names: string[]): Choice => ({
  files: names.map((name) => ({ file: new File(['x'], name), name, path: name })),
  leftOut: [],
  unreadable: [],
  isCut: false,
});

const done: UploadEvent = { type: 'completed', objectName: 'o', fileUrl: '/f', header: null };
const namesStarted = () => started.map(({ request }) => request.name);
const told = (name: string) => started.find(({ request }) => request.name === name)?.told;
const tell = (name: string, event: UploadEvent) =>
  started.findLast(({ request }) => request.name === name)?.request.onEvent(event);
const itemsOf = (folderId: string) => uploads.stateOf(folderId)?.queue.items ?? [];
const statuses = (folderId: string) => itemsOf(folderId).map(({ name, status }) => `${name} ${status}`);
const idOf = (folderId: string, name: string) => itemsOf(folderId).find((item) => item.name === name)!.id;
const actionsOf = (folderId: string) => uploads.actionsOf(folderId)!;
const activityOf = (folderId: string) => uploadActivity.get().find((one) => one.folderId === folderId);

/** Opens a folder's page, and has files sent from there. */
function sendFrom(folderId: string, ...names: string[]): void {
  uploads.attend(targetOf(folderId));
  actionsOf(folderId).add(choice(...names));
  actionsOf(folderId).start();
}

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  [started, news, busy, workersMax] = [[], [], [], 2];
  replaced = [];
  uploadActivity.set([]);
  // An earlier test's uploads may still tell of a failure: it stays that test's news.
  const heard = news;
  uploads = createUploads({
    // Its files are small, and are to wait for workers as large ones do.
    smallMax: 0,
    startUpload,
    strips: () => true,
    onSent: () => {},
    deleteReplaced: async ({ storedName }) => {
      if (storedName === 'stored-kept') throw new AppError('storage.not_found');
      replaced.push(storedName);
    },
    hasSameContent: async (existing, file) => existing.sizeBytes === file.size,
    maxFiles: () => 10,
    workersMax: () => workersMax,
    onNews: (one) => heard.push(one),
    onBusy: (isBusy) => busy.push(isBusy),
  });
});

const existingFile = (name: string) =>
  ({ name, directory: '', sizeBytes: 5, badge: null, entry: { name: `stored-${name}` } }) as unknown as ExistingFile;

test('files whose names the folder has wait for its list and an answer; what they replace goes once they are there', async () => {
  const files = [existingFile('1')];
  uploads.attend(targetOf('a', { existing: null }));
  actionsOf('a').add(choice('1', '2'));
  expect(statuses('a')).toEqual([]);
  uploads.attend(targetOf('a', { existing: files }));
  await vi.waitFor(() => expect(uploads.stateOf('a')?.collisions.differing).toHaveLength(1), WAIT_MS);
  expect(statuses('a')).toEqual(['2 pending']);
  actionsOf('a').answer('replace');
  actionsOf('a').start();
  tell('1', { type: 'error', error: new AppError('upload.create_failed') });
  expect(replaced).toEqual([]);
  actionsOf('a').retry(idOf('a', '1'));
  tell('1', done);
  expect(replaced).toEqual(['stored-1']);
});

test('a file that is replaced and could not be deleted is told of, with the reason', async () => {
  uploads.attend(targetOf('a', { existing: [existingFile('kept')] }));
  actionsOf('a').add(choice('kept'));
  await vi.waitFor(() => expect(news).toEqual(expect.arrayContaining([{ type: 'differing', count: 1 }])), WAIT_MS);
  actionsOf('a').answer('replace');
  actionsOf('a').start();
  tell('kept', done);
  const told = { type: 'not_replaced', name: 'kept', error: expect.objectContaining({ code: 'storage.not_found' }) };
  await vi.waitFor(() => expect(news.at(-1)).toEqual(told), WAIT_MS);
});

describe('the uploads of one folder', () => {
  test('begin as workers are free, in order, and are taken for lost on leaving the site until they are done', () => {
    sendFrom('a', '1', '2', '3');
    expect(namesStarted()).toEqual(['1', '2']);
    tell('1', done);
    expect(namesStarted()).toEqual(['1', '2', '3']);
    expect(busy).toEqual([true]);
    tell('2', done);
    tell('3', done);
    expect(statuses('a')).toEqual(['1 completed', '2 completed', '3 completed']);
    expect(busy).toEqual([true, false]);
    expect(news.at(-1)).toEqual({ type: 'ended', completed: 3, error: 0 });
  });

  test('are drawn four times a second however many files report, and at once after an act', () => {
    vi.useFakeTimers();
    try {
      sendFrom('a', '1', '2', '3');
      vi.advanceTimersByTime(1000);
      let drawn = 0;
      uploads.subscribe(() => {
        drawn += 1;
      });
      for (let bytes = 1; bytes <= 100; bytes += 1) {
        tell('1', { type: 'progress', bytesSealed: bytes, bytesUploaded: bytes, bytesTotal: 200 });
        tell('2', { type: 'progress', bytesSealed: bytes, bytesUploaded: bytes, bytesTotal: 200 });
        vi.advanceTimersByTime(10);
      }
      expect(drawn).toBe(5);
      expect(itemsOf('a').map(({ bytesUploaded }) => bytesUploaded)).toEqual([100, 100, 0]);
      actionsOf('a').pause(idOf('a', '1'));
      expect(drawn).toBe(6);
    } finally {
      vi.useRealTimers();
    }
  });

  test('are paused, resumed, cancelled, removed and retried one by one', () => {
    sendFrom('a', '1', '2', '3');
    const { pause, resume, cancel, clear, remove, retry } = actionsOf('a');
    pause(idOf('a', '1'));
    expect([told('1'), namesStarted()]).toEqual([['pause'], ['1', '2', '3']]);
    cancel(idOf('a', '2'));
    expect(told('2')).toEqual(['cancel']);
    resume(idOf('a', '1'));
    expect(told('1')).toEqual(['pause', 'resume']);
    tell('3', { type: 'error', error: new AppError('unexpected') });
    retry(idOf('a', '3'));
    expect(namesStarted()).toEqual(['1', '2', '3', '3']);
    tell('3', done);
    cancel(idOf('a', '3'));
    clear();
    expect(statuses('a')).toEqual(['1 uploading', '3 completed']);
    remove(idOf('a', '3'));
    expect(statuses('a')).toEqual(['1 uploading']);
  });

  test('are taken for lost on leaving the site until the server has let go of a cancelled one', async () => {
    sendFrom('a', '1');
    const { promise, resolve } = Promise.withResolvers<void>();
    vi.spyOn(started[0]!, 'cancel').mockReturnValue(promise);
    actionsOf('a').cancel(idOf('a', '1'));
    uploads.leave('a');
    expect([statuses('a'), busy]).toEqual([[], [true]]);
    resolve();
    await vi.waitFor(() => expect(busy).toEqual([true, false]), WAIT_MS);
    expect(uploads.stateOf('a')).toBeNull();
  });

  test('wait while a question is open, and continue under the keys that come with the answer', () => {
    uploads.attend(targetOf('a', { isHeld: true }));
    actionsOf('a').add(choice('1'));
    actionsOf('a').start();
    expect([namesStarted(), activityOf('a')]).toMatchObject([[], { isBusy: true, isHeld: true }]);
    uploads.attend(targetOf('a'));
    expect(namesStarted()).toEqual(['1']);
  });

  test('wait until the page that asks for the folder’s facts has them', () => {
    uploads.attend(targetOf('a', { onStart: () => true }));
    actionsOf('a').add(choice('1'));
    actionsOf('a').start();
    expect(namesStarted()).toEqual([]);
    uploads.attend(targetOf('a', { isChecking: true }));
    expect(namesStarted()).toEqual([]);
    uploads.attend(targetOf('a'));
    expect(namesStarted()).toEqual(['1']);
  });

  test('go by what the page knew when it is left in the midst of asking', () => {
    uploads.attend(targetOf('a', { isChecking: true }));
    actionsOf('a').add(choice('1'));
    actionsOf('a').start();
    uploads.leave('a');
    expect(namesStarted()).toEqual(['1']);
  });
});

describe('when the folder’s page is left', () => {
  test('uploads continue, later ones begin, and the list is there on the way back', () => {
    const onFiles = vi.fn();
    sendFrom('a', '1', '2', '3');
    uploads.attend(targetOf('a', { onFiles }));
    uploads.leave('a');
    tell('1', done);
    expect([namesStarted(), onFiles.mock.calls.length]).toEqual([['1', '2', '3'], 0]);
    expect(activityOf('a')).toMatchObject({ files: 3, completed: 1, left: 2, isBusy: true, hash: 'secret-a' });
    uploads.attend(targetOf('a', { onFiles }));
    // What has come in between is not in the list that the page knows.
    expect(onFiles).toHaveBeenCalledTimes(1);
    tell('2', done);
    expect(onFiles).toHaveBeenCalledTimes(2);
    expect(statuses('a')).toEqual(['1 completed', '2 completed', '3 uploading']);
    expect(started.flatMap((one) => one.told)).toEqual([]);
  });

  test('files that were chosen and not started stay; those that were seen to be done go', () => {
    sendFrom('a', '1');
    tell('1', done);
    actionsOf('a').add(choice('2'));
    uploads.leave('a');
    expect(statuses('a')).toEqual(['2 pending']);
    expect(activityOf('a')).toMatchObject({ files: 1, left: 1, isBusy: false });
  });

  test('a folder without files is removed', () => {
    uploads.attend(targetOf('a'));
    expect(activityOf('a')).toMatchObject({ files: 0 });
    uploads.leave('a');
    expect([uploads.stateOf('a'), uploadActivity.get()]).toEqual([null, []]);
  });

  test('a list at rest is shown until it is dismissed; a running one can’t be dismissed', () => {
    sendFrom('a', '1');
    uploads.leave('a');
    uploads.dismiss('a');
    expect(activityOf('a')?.files).toBe(1);
    tell('1', done);
    expect(activityOf('a')).toMatchObject({ completed: 1, isBusy: false });
    uploads.dismiss('a');
    expect(uploadActivity.get()).toEqual([]);
  });

  test('a change of its key in another tab holds further files until its page is there again', async () => {
    workersMax = 1;
    sendFrom('a', '1', '2');
    uploads.leave('a');
    const heard = Promise.withResolvers<unknown>();
    const unfollow = followKeyChanges('a', heard.resolve);
    tellKeyChange('a', 'pin');
    await heard.promise;
    unfollow();
    tell('1', done);
    expect(namesStarted()).toEqual(['1']);
    // What workers report is drawn a little later.
    await vi.waitFor(() => expect(activityOf('a')).toMatchObject({ isBusy: true, isHeld: true }), WAIT_MS);
    uploads.attend(targetOf('a'));
    expect(namesStarted()).toEqual(['1', '2']);
  });
});

describe('files that are chosen before there is a page', () => {
  test('wait for it, are not lost when another page is shown first, and start once, in order', () => {
    uploads.send(placeOf('a'), choice('1'));
    uploads.add(placeOf('a'), choice('2'));
    expect(activityOf('a')).toMatchObject({ files: 2, left: 2, isHeld: true, name: 'Folder a' });
    uploads.leave('a');
    expect(uploads.stateOf('a')).toMatchObject({ isReady: false });
    uploads.attend(targetOf('a'));
    uploads.attend(targetOf('a'));
    expect(namesStarted()).toEqual(['1', '2']);
    expect(activityOf('a')).toMatchObject({ files: 2, isHeld: false });
  });

  test('that were only dropped are listed, and not started', () => {
    uploads.add(placeOf('a'), choice('1'));
    uploads.attend(targetOf('a'));
    expect([statuses('a'), namesStarted()]).toEqual([['1 pending'], []]);
  });
});

describe('two folders', () => {
  test('upload at once, and share the workers', () => {
    sendFrom('a', 'a1', 'a2', 'a3', 'a4');
    uploads.leave('a');
    sendFrom('b', 'b1', 'b2');
    expect(namesStarted()).toEqual(['a1', 'a2']);
    tell('a1', done);
    expect(namesStarted().at(-1)).toBe('b1');
    tell('a2', done);
    expect(namesStarted().at(-1)).toBe('a3');
    tell('b1', done);
    expect(namesStarted().at(-1)).toBe('b2');
    expect(uploadActivity.get().map(({ folderId, isBusy }) => [folderId, isBusy])).toEqual([
      ['a', true],
      ['b', true],
    ]);
  });

  test('a question about one holds nothing up in the other', () => {
    sendFrom('a', 'a1');
    uploads.attend(targetOf('a', { isHeld: true }));
    actionsOf('a').add(choice('a2'));
    tell('a1', done);
    actionsOf('a').start();
    sendFrom('b', 'b1');
    expect(namesStarted()).toEqual(['a1', 'b1']);
  });

  test('a change of one redraws nothing of the other', () => {
    sendFrom('a', 'a1');
    sendFrom('b', 'b1');
    const [state, activity] = [uploads.stateOf('b'), activityOf('b')];
    tell('a1', { type: 'progress', bytesSealed: 1, bytesUploaded: 1, bytesTotal: 2 });
    expect(uploads.stateOf('b')).toBe(state);
    expect(activityOf('b')).toBe(activity);
  });
});

describe('an end from outside', () => {
  test('a folder that is deleted takes its uploads along, and leaves the others', () => {
    sendFrom('a', 'a1');
    sendFrom('b', 'b1');
    uploads.folderDeleted('a');
    expect([told('a1'), told('b1')]).toEqual([['release'], []]);
    expect([uploads.stateOf('a'), uploadActivity.get().length]).toEqual([null, 1]);
    tell('a1', done);
    expect(uploads.stateOf('a')).toBeNull();
  });

  test('uploads stop when another person signs in, and say whether any was running', () => {
    sendFrom('a', 'a1');
    expect(uploads.keepOnlyOf('mika')).toBe(false);
    expect(told('a1')).toEqual([]);
    expect(uploads.keepOnlyOf(null)).toBe(true);
    expect([told('a1'), uploadActivity.get(), busy]).toEqual([['release'], [], [true, false]]);
    expect(uploads.keepOnlyOf(null)).toBe(false);
  });

  test('another person’s page of the same folder begins with an empty list', () => {
    sendFrom('a', 'a1');
    uploads.attend(targetOf('a', { userId: 'rin' }));
    expect([statuses('a'), told('a1')]).toEqual([[], ['release']]);
  });

  test('signed out: the file fails, and says why', () => {
    uploads.attend(targetOf('a', { userId: null }));
    actionsOf('a').add(choice('1'));
    actionsOf('a').start();
    expect(itemsOf('a')[0]).toMatchObject({ status: 'error', error: { code: 'upload.unauthenticated' } });
    expect(activityOf('a')).toMatchObject({ failed: 1, isBusy: false });
  });

  test('unsent names are kept for the next page', async () => {
    workersMax = 1;
    sendFrom('a', '1', '2');
    await vi.waitFor(() => {
      uploads.keepNames();
      expect(sessionStorage.getItem('satchel.waiting.a')).toBe('[{"name":"1"},{"name":"2"}]');
    }, WAIT_MS);
  });

  test('the name of a small file counts as unsent until all of it is there: no log would name it', async () => {
    uploads.attend(targetOf('a', { maxFileBytes: 10_000_000 }));
    const large = new File([new Uint8Array(SMALL_FILE_BYTES + 1)], 'large');
    const both = {
      ...choice('small'),
      files: [...choice('small').files, { file: large, name: 'large', path: 'large' }],
    };
    actionsOf('a').add(both);
    actionsOf('a').start();
    for (const name of ['small', 'large'])
      tell(name, { type: 'progress', bytesSealed: 1, bytesUploaded: 0, bytesTotal: 1000 });
    await vi.waitFor(() => {
      uploads.keepNames();
      expect(sessionStorage.getItem('satchel.waiting.a')).toBe('[{"name":"small"}]');
    }, WAIT_MS);
    tell('small', done);
    uploads.keepNames();
    expect(sessionStorage.getItem('satchel.waiting.a')).toBe(null);
  });
});

test('a file that was sealed before the link was changed is sealed again once the page has the newer key', () => {
  const refused: UploadEvent = { type: 'error', error: new AppError('key.link_changed') };
  const tokensSent = () => started.map(({ request }) => request.linkToken);
  let asked = 0;
  const onStart = () => {
    asked += 1;
    return true;
  };
  const attend = (linkToken: string) => uploads.attend(targetOf('one', { linkToken, onStart }));
  uploads.attend(targetOf('one', { linkToken: 'first' }));
  actionsOf('one').send(choice('a'));
  attend('first');
  tell('a', refused);
  expect([statuses('one'), tokensSent(), asked]).toEqual([['a pending'], ['first'], 1]);
  expect(news.map(({ type }) => type)).toEqual(['chosen']);
  attend('second');
  expect([statuses('one'), tokensSent()]).toEqual([['a uploading'], ['first', 'second']]);
  // A page that does not learn of the newer key would send the same file for ever.
  tell('a', refused);
  attend('second');
  tell('a', refused);
  expect([statuses('one'), tokensSent()]).toEqual([['a error'], ['first', 'second', 'second']]);
});
