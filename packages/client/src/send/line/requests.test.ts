import { describe, expect, test } from 'vitest';
import { answerOf, networkOf } from '../../testing/networks.ts';
import { terminateUpload } from './requests.ts';

let asked: string[] = [];
const ended = (statuses: readonly number[], onlyIfOpen = false, headers: Record<string, string> = {}) => {
  asked = [];
  const network = networkOf(async ({ method }) => {
    asked.push(method);
    return answerOf(statuses[asked.length - 1] ?? 500, headers);
  });
  return terminateUpload({ network, bearer: { get: async () => 'bearer' }, url: '/u', onlyIfOpen, tries: 1 });
};

describe('an upload is ended', () => {
  test('when the server has removed it, or knows nothing of it', async () => {
    expect(await ended([204])).toBe(true);
    expect(await ended([404])).toBe(true);
    expect(await ended([200, 204], true, { 'Upload-Length': '9', 'Upload-Offset': '4' })).toBe(true);
    expect(asked).toEqual(['HEAD', 'DELETE']);
  });

  test('and left alone when it is a file by now', async () => {
    expect(await ended([200], true, { 'Upload-Length': '9', 'Upload-Offset': '9' })).toBe(true);
    expect(asked).toEqual(['HEAD']);
  });

  test('not when the server did not say so: its log must stay', async () => {
    for (const status of [401, 409, 423, 429, 503]) expect(await ended([status])).toBe(false);
    expect(await ended([401], true)).toBe(false);
  });
});
