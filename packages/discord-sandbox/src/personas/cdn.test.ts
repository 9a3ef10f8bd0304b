import { describe, expect, test } from 'vitest';
import { startSandbox } from '../test-sandbox.ts';
import { findPersona } from './personas.ts';

const user = (name: string) => findPersona(name)!.user;
const avatar = (name: string, extension: string) => `/avatars/${user(name).id}/${user(name).avatar}.${extension}`;
const banner = (extension: string) => `/banners/${user('ava').id}/${user('ava').banner}.${extension}`;

const pngWidth = (bytes: Buffer) => bytes.readUInt32BE(16);

async function fetchImage(path: string) {
  const sandbox = await startSandbox();
  const response = await sandbox.get(path);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe('the CDN', () => {
  test.each([
    [avatar('mika', 'png'), 'image/png', '\x89PNG'],
    [avatar('jonas', 'webp'), 'image/webp', 'RIFF'],
    [avatar('ava', 'png'), 'image/png', '\x89PNG'],
    [avatar('ava', 'webp'), 'image/webp', 'RIFF'],
    [avatar('ava', 'gif'), 'image/gif', 'GIF89a'],
    [banner('png'), 'image/png', '\x89PNG'],
    [banner('webp'), 'image/webp', 'RIFF'],
    ['/embed/avatars/0.png', 'image/png', '\x89PNG'],
    ['/embed/avatars/5.png', 'image/png', '\x89PNG'],
  ])('serves %s to any site', async (path, type, signature) => {
    const { response, bytes } = await fetchImage(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(bytes.toString('latin1')).toMatch(new RegExp(`^${signature}`));
  });

  test('draws the same picture every time, and another one for another persona', async () => {
    const [first, again, other] = await Promise.all(
      [avatar('mika', 'png'), avatar('mika', 'png'), avatar('jonas', 'png')].map(fetchImage),
    );
    expect(first?.bytes.equals(again!.bytes)).toBe(true);
    expect(first?.bytes.equals(other!.bytes)).toBe(false);
  });

  test.each([
    [avatar('mika', 'png'), 128],
    [`${avatar('mika', 'png')}?size=16`, 16],
    [`${avatar('mika', 'png')}?size=4096`, 512],
    [`${banner('png')}?size=512`, 512],
    [`${banner('png')}?size=4096`, 1024],
    ['/embed/avatars/1.png?size=16', 256],
  ])('%s is %i pixels wide', async (path, width) => {
    expect(pngWidth((await fetchImage(path)).bytes)).toBe(width);
  });

  test.each([
    ['an unknown user', `/avatars/1/${user('mika').avatar}.png`],
    ['the hash of another user', `/avatars/${user('mika').id}/${user('jonas').avatar}.png`],
    ['a user without an avatar', `/avatars/${user('otto').id}/${'0'.repeat(32)}.png`],
    ['a default avatar beyond the last', '/embed/avatars/6.png'],
    ['a gif of a picture that does not move', avatar('mika', 'gif')],
    ['an unknown type', avatar('mika', 'bmp')],
    ['a path to another picture', `${avatar('mika', 'png')}%2f..%2fjonas-128.png`],
    ['a size that is no power of two', `${avatar('mika', 'png')}?size=100`],
  ])('has nothing for %s', async (_, path) => {
    expect((await fetchImage(path)).response.status).toBe(404);
  });
});
