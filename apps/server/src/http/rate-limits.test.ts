import { describe, expect, test } from 'vitest';
import { createRateLimiter } from '../domain/base/rate-limits.ts';
import { costOf, groupOf, RATE_LIMITS, type RateGroup } from './rate-limits.ts';

describe('the group of a route', () => {
  test.each([
    ['GET', '/auth/v1/authorize', 'sign_in'],
    ['GET', '/auth/v1/callback', 'sign_in'],
    ['POST', '/discord/grants/redeem', 'sign_in'],
    ['POST', '/discord/intents/redeem', 'sign_in'],
    ['POST', '/auth/v1/device', 'device_codes'],
    ['POST', '/auth/v1/token', 'device_codes'],
    ['POST', '/auth/v1/device/find', 'user_codes'],
    ['POST', '/auth/v1/device/decide', 'writes'],
    ['GET', '/auth/v1/session', 'reads'],
    ['POST', '/auth/v1/logout', 'writes'],
    ['POST', '/rest/v1/rpc/get_folder_complete_data', 'reads'],
    ['POST', '/rest/v1/rpc/create_folder_with_temp_key', 'writes'],
    ['POST', '/rest/v1/rpc/record_folder_event', 'events'],
    ['DELETE', '/rest/v1/profiles/me', 'writes'],
    ['POST', '/storage/v1/object/list/:bucket', 'reads'],
    ['POST', '/storage/v1/object/sign/:bucket/*', 'reads'],
    ['GET', '/storage/v1/object/sign/:bucket/*', 'objects'],
    ['HEAD', '/storage/v1/object/public/:bucket/*', 'objects'],
    ['DELETE', '/storage/v1/object/:bucket/*', 'writes'],
    ['POST', '/storage/v1/upload/resumable', 'upload_create'],
    ['PATCH', '/storage/v1/upload/resumable/:id', 'upload_bytes'],
    ['POST', '/storage/v1/upload/resumable/:id', 'upload_bytes'],
    ['PUT', '/storage/v1/still/:bucket/:storagePath', 'stills'],
    ['POST', '/storage/v1/still/:bucket', 'objects'],
    ['POST', '/bot/:slug/:api_token', 'keys'],
    ['POST', '/abuse/v1/reports', 'reports'],
    ['GET', '/abuse/v1/operator_keys', 'reads'],
    ['POST', '/operator/v1/takedowns', 'operator'],
    ['POST', '/discord/interactions', null],
    ['GET', '/healthz', null],
    ['GET', '/f/*', null],
    ['GET', '', null],
  ])('%s %s is %s', (method, url, group) => {
    expect(groupOf(method, url)).toBe(group);
  });
});

test.each([
  ['PUT', '/storage/v1/still/:bucket/:storagePath', [{}, {}, {}], 3],
  ['PUT', '/storage/v1/still/:bucket/:storagePath', [], 1],
  ['PUT', '/storage/v1/still/:bucket/:storagePath', undefined, 1],
  ['POST', '/storage/v1/still/:bucket', { names: Array(64) }, 8],
  ['POST', '/storage/v1/still/:bucket', { names: ['a'] }, 1],
])('%s %s costs as many units as it has work', (method, url, body, units) => {
  expect(costOf(method, url, body)).toBe(units);
});

describe('the limits', () => {
  test.each<[string, number, RateGroup]>([
    ['three visits to a page of 2,000 files', 6000, 'objects'],
    ['10 GB uploaded in pieces', 1707, 'upload_bytes'],
    ['a folder of 2,000 small files from four workers', 2000, 'upload_create'],
    ['the stills of as many', 2000, 'stills'],
    ['a zip of 2,000 files that tells of each', 2000, 'folder_events'],
    ['an office of fifty people, each with a page of 500 files and their own sign-in', 25_000, 'any'],
    ['200 folders made at once by a script', 200, 'writes'],
  ])('allow %s in one minute', (_what, times, group) => {
    const limiter = createRateLimiter({ db: null, hash: String, report: () => undefined, now: () => 1000 });
    const waits = Array.from({ length: times }, () => limiter.take(group, 'somebody', RATE_LIMITS[group]));
    expect(Math.max(...waits)).toBe(0);
  });

  test('allow more in a longer time', () => {
    for (const limits of Object.values(RATE_LIMITS)) {
      const allowed = limits.map(({ max }) => max);
      expect(allowed).toEqual([...allowed].sort((a, b) => a - b));
    }
  });
});
