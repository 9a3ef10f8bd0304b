import { describe, expect, test } from 'vitest';
import { startSandbox } from '../test-sandbox.ts';
import { findPersona } from './personas.ts';

const user = (name: string) => findPersona(name)!.user;
const avatar = (name: string, extension: string, more = '?size=256') =>
  `/avatars/${user(name).id}/${user(name).avatar}.${extension}${more}`;
const banner = `/banners/${user('ava').id}/${user('ava').banner}.png?size=1024`;

async function fetchImage(path: string) {
  const sandbox = await startSandbox();
  const response = await sandbox.get(path);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('the CDN', () => {
  test.each([
    [avatar('mika', 'png'), 'image/png', 256],
    [avatar('mika', 'png', '?size=128'), 'image/png', 128],
    [avatar('ava', 'png'), 'image/png', 256],
    [avatar('ava', 'gif'), 'image/gif', 256],
    [banner, 'image/png', 1024],
    ['/embed/avatars/0.png', 'image/png', 256],
    ['/embed/avatars/5.png', 'image/png', 256],
  ])('serves %s to any site', async (path, type, widthPx) => {
    const { response, bytes } = await fetchImage(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(type === 'image/gif' ? bytes.readUInt16LE(6) : bytes.readUInt32BE(16)).toBe(widthPx);
  });

  test.each([
    ['an unknown user', `/avatars/1/${user('mika').avatar}.png?size=256`],
    ['the hash of another user', `/avatars/${user('mika').id}/${user('jonas').avatar}.png?size=256`],
    ['a user without an avatar', `/avatars/${user('otto').id}/${'0'.repeat(32)}.png?size=256`],
    ['a default avatar beyond the last', '/embed/avatars/6.png'],
    ['a gif of a picture that does not move', avatar('mika', 'gif')],
    ['an unknown type', avatar('mika', 'bmp')],
    ['a path to another picture', avatar('mika', 'png', '%2f..%2fjonas-128.png?size=256')],
    ['a path in the size', avatar('mika', 'png', '?size=256/../jonas-128')],
    ['a size that there is none of', avatar('mika', 'png', '?size=100')],
  ])('has nothing for %s', async (_, path) => {
    expect((await fetchImage(path)).response.status).toBe(404);
  });
});
