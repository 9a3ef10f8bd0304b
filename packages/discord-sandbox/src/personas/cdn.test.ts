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
    ['an unknown user', `/avatars/1/${user('mika').avatar}.png`, 404],
    ['the hash of another user', `/avatars/${user('mika').id}/${user('jonas').avatar}.png`, 404],
    ['a user without an avatar', `/avatars/${user('otto').id}/${'0'.repeat(32)}.png`, 404],
    ['a user without a banner', `/banners/${user('mika').id}/${user('ava').banner}.png`, 404],
    ['a file that is no picture', `/avatars/${user('mika').id}/null.png`, 404],
    ['a default avatar beyond the last', '/embed/avatars/6.png', 404],
    ['a default avatar of another type', '/embed/avatars/0.gif', 404],
    ['a gif of a picture that does not move', avatar('mika', 'gif'), 415],
    ['a banner as gif', banner('gif'), 415],
    ['an unknown type', avatar('mika', 'bmp'), 415],
    ['a size that is no power of two', `${avatar('mika', 'png')}?size=100`, 400],
    ['a size too small', `${avatar('mika', 'png')}?size=8`, 400],
    ['a size too large', `${avatar('mika', 'png')}?size=8192`, 400],
    ['a size that is no number', `${avatar('mika', 'png')}?size=big`, 400],
  ])('refuses %s', async (_, path, status) => {
    const { response } = await fetchImage(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('text/plain');
  });
});
