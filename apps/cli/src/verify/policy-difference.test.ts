import { expect, test } from 'vitest';
import { comparePolicies } from './policy-difference.ts';

const RELEASE = "default-src 'none'; script-src 'self'; img-src 'self' blob:; connect-src 'self'; worker-src 'self'";
const changed = (from: string, to: string) => comparePolicies(RELEASE.replace(from, to), RELEASE);

test('the release’s own policy does not differ', () => {
  expect(comparePolicies(RELEASE, RELEASE)).toEqual({ directives: [], ownOrigins: [] });
});

test('origins for the bytes of files are a site’s setting, and no difference', () => {
  const served = RELEASE.replace('blob:;', 'blob: https://content.example.org;').replace(
    "connect-src 'self'",
    "connect-src 'self' https://content.example.org https://store.example.net/bucket",
  );
  expect(comparePolicies(served, RELEASE)).toEqual({
    directives: [],
    ownOrigins: ['https://content.example.org', 'https://store.example.net/bucket'],
  });
});

test.each([
  ["script-src 'self'", "script-src 'self' https://evil.example", "script-src 'self' https://evil.example"],
  ["script-src 'self'", "script-src 'self' 'unsafe-inline'", "script-src 'self' 'unsafe-inline'"],
  ["connect-src 'self'", 'connect-src *', 'connect-src *'],
  ["connect-src 'self'", "connect-src 'self' *", "connect-src 'self' *"],
  ["connect-src 'self'", "connect-src 'self' https:", "connect-src 'self' https:"],
  ["connect-src 'self'", "connect-src 'self' https://*.example", "connect-src 'self' https://*.example"],
  ["; worker-src 'self'", '', 'no worker-src'],
  ["worker-src 'self'", "worker-src 'self'; frame-src *", 'frame-src *'],
  ["worker-src 'self'", "worker-src 'self', default-src *", 'there are several'],
])('%s as %s is a difference', (from, to, named) => {
  expect(changed(from, to)).toEqual({ directives: [named], ownOrigins: [] });
});

test('an answer without a policy differs', () => {
  expect(comparePolicies(null, RELEASE).directives).toEqual(['there is none']);
});
