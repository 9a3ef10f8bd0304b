import { SHARE_TARGET_PATH } from '@satchel/contract/paths';
import { beforeEach, expect, test } from 'vitest';
import { createShareInbox } from './share-inbox.ts';

const ORIGIN = 'https://satchel.example';
let inbox: ReturnType<typeof createShareInbox>;
let giveUp: () => void;
beforeEach(() => {
  const slept = Promise.withResolvers<void>();
  giveUp = slept.resolve;
  inbox = createShareInbox({ origin: ORIGIN, sleep: () => slept.promise });
});

function shareOf(...files: File[]): Request {
  const body = new FormData();
  body.set('title', 'A walk');
  for (const file of files) body.append('files', file);
  return new Request(ORIGIN + SHARE_TARGET_PATH, { method: 'POST', body });
}
const photo = new File(['pixels'], 'walk.jpg', { type: 'image/jpeg' });

async function whereTo(request: Request): Promise<string> {
  const answer = await inbox.handle(request)?.answer;
  expect(answer?.status).toBe(303);
  return answer?.headers.get('location') ?? '';
}
const idIn = (address: string) => new URL(address, ORIGIN).searchParams.get('shared') ?? '';

test('shared files wait for the page, which takes them once', async () => {
  const share = inbox.handle(shareOf(photo, new File(['notes'], 'notes.txt')));
  const address = (await share?.answer)?.headers.get('location') ?? '';
  expect(address).toMatch(/^\/upload\?shared=[\da-f-]{36}$/);
  const files = inbox.take(idIn(address));
  expect(files?.map(({ name }) => name)).toEqual(['walk.jpg', 'notes.txt']);
  expect(await files?.[0]?.text()).toBe('pixels');
  expect(inbox.take(idIn(address))).toBeNull();
  await share?.over;
});

test('shared files that no page takes are given up', async () => {
  const share = inbox.handle(shareOf(photo));
  const id = idIn((await share?.answer)?.headers.get('location') ?? '');
  giveUp();
  await share?.over;
  expect(inbox.take(id)).toBeNull();
});

test('a share without files, and one that can’t be read, say so', async () => {
  expect(await whereTo(shareOf())).toBe('/upload?shared=none');
  const torn = new Request(ORIGIN + SHARE_TARGET_PATH, {
    method: 'POST',
    body: 'torn',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  });
  expect(await whereTo(torn)).toBe('/upload?shared=unread');
});

test('every other request is left to the network', () => {
  expect(inbox.handle(new Request(ORIGIN + SHARE_TARGET_PATH))).toBeNull();
  expect(inbox.handle(new Request(`${ORIGIN}/rest/v1/rpc/x`, { method: 'POST' }))).toBeNull();
  expect(inbox.handle(new Request(`https://other.example${SHARE_TARGET_PATH}`, { method: 'POST' }))).toBeNull();
});
