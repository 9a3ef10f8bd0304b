import { expect, test } from 'vitest';
import { encoded, presign } from './presign.ts';

/** The example of Amazon's documentation, "Authenticating Requests: Using Query Parameters". */
const EXAMPLE = {
  method: 'GET',
  url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
  region: 'us-east-1',
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  now: new Date('2013-05-24T00:00:00.000Z'),
  seconds: 86_400,
};

test('an address has the signature of Amazon’s own example', () => {
  const url = new URL(presign(EXAMPLE));
  expect(url.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
  expect(url.searchParams.get('X-Amz-Credential')).toBe('AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request');
});

test('what is asked for and a token of a role are signed too', () => {
  const { credentials } = EXAMPLE;
  const token = { ...EXAMPLE, credentials: { ...credentials, sessionToken: 'a/token' } };
  const all = [EXAMPLE, { ...EXAMPLE, query: { 'response-content-type': 'text/plain' } }, token].map(
    (signing) => new URL(presign(signing)).searchParams,
  );
  expect(new Set(all.map((search) => search.get('X-Amz-Signature'))).size).toBe(3);
  expect(all[2]!.get('X-Amz-Security-Token')).toBe('a/token');
  expect(encoded("a/b c!'()*~")).toBe('a%2Fb%20c%21%27%28%29%2A~');
});
