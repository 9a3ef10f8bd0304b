import { AppError } from '@satchel/contract/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Api } from '../api.ts';
import { enterByGrant, splitGrant } from './grant.ts';
import { bringsGrant, fragmentKind } from './link-parts.ts';

const GRANT = 'g'.repeat(43);
const SECRET = `k=${'s'.repeat(42)}A`;

describe('a fragment', () => {
  test.each([
    [`#grant=${GRANT}`, ''],
    [`grant=${GRANT}`, ''],
    [`#${SECRET}&grant=${GRANT}`, SECRET],
    [`#grant=${GRANT}&${SECRET}`, SECRET],
    [`#${'0f'.repeat(64)}&grant=${GRANT}`, '0f'.repeat(64)],
    [`#grant=${GRANT}&grant=other`, ''],
    [`#${SECRET}&grant=${GRANT}).`, SECRET],
    [`#grant%3D${GRANT}%26${SECRET}`, SECRET],
  ])('%s brings a grant beside %j', (hash, rest) => {
    expect(bringsGrant(hash)).toBe(true);
    expect(splitGrant(hash)).toEqual({ grant: GRANT, rest });
    if (rest) expect(fragmentKind(rest)).toMatch(/secret|key/);
  });

  test.each(['', '#', `#${SECRET}`, '#faq', '#nogrant=1', '#mygrant=x&a=b'])('%j brings none', (hash) => {
    expect(bringsGrant(hash)).toBe(false);
  });

  test('one that was cut short brings an empty one', () => {
    expect(splitGrant('#grant=')).toEqual({ grant: '', rest: '' });
  });
});

describe('at the door', () => {
  let calls: string[];
  let redeeming: AppError | null;
  let looking: AppError | null;
  const answer = async (name: string, error: AppError | null): Promise<never> => {
    calls.push(name);
    if (error) throw error;
    return {} as never;
  };
  const deps: Pick<Api, 'sendJson' | 'rpc'> = {
    sendJson: (method, path, body, options) =>
      answer(`${method} ${path} ${JSON.stringify(body)} ${JSON.stringify(options)}`, redeeming),
    rpc: (name) => answer(name, looking),
  };
  const enter = () => enterByGrant(deps, 'a'.repeat(16), GRANT);
  beforeEach(() => {
    [calls, redeeming, looking] = [[], null, null];
  });

  test('a grant is redeemed by one call, with the grant in its body, and once more where the answer is lost', async () => {
    await enter();
    expect(calls).toEqual([`POST /discord/grants/redeem {"grant":"${GRANT}"} {"isRepeatable":true}`]);
  });

  test.each(['grant.invalid', 'request.invalid'] as const)(
    'who comes with a grant that is no longer good (%s) gets in where they may anyway',
    async (code) => {
      redeeming = new AppError(code);
      await enter();
      expect(calls).toHaveLength(2);
      looking = new AppError('folder.not_found');
      await expect(enter()).rejects.toMatchObject({ code: 'folder.not_found' });
    },
  );

  test('any other failure is passed on, and no further request is made', async () => {
    redeeming = new AppError('request.too_many', { retry_after_seconds: 3 });
    await expect(enter()).rejects.toBe(redeeming);
    expect(calls).toHaveLength(1);
  });
});
