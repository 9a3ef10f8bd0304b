import { MIB } from '@satchel/contract/limits';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { codeOf, createTus, createUploadOf, deleteFolder, OBJECT, sha256 } from '../support/storage-kit.ts';
import { createTestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';

/** With USERCONTENT_URL, files' bytes come from an origin that gets no cookies. */

async function makeFile() {
  const { folder, bytes, url } = await createUploadOf(app, mika, MIB);
  const path = new URL(url).pathname;
  expect((await createTus(app, mika).patch(app.baseUrl + path, 0, bytes)).status).toBe(204);
  const listed = await app.call('POST', `${OBJECT}/list/unlocked-folders`, {
    body: { prefix: folder.bucket_storage_path },
    as: mika,
  });
  const [{ name }] = (await listed.json()) as [{ name: string }];
  return { folder, bytes, file: `unlocked-folders/${folder.bucket_storage_path}/${name}` };
}

const port = await freePort();
/** The same server by another name: cookies belong to one name. */
const content = `http://localhost:${port}`;
const app = await createTestApp({
  env: { PORT: String(port), USERCONTENT_URL: content },
  deps: { web: webOf() },
});
let mika = await app.signIn('mika');
const jonas = await app.signIn('jonas');
const made = await makeFile();

const ask = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, { method, headers, redirect: 'manual' });
const publicUrl = () => `${app.baseUrl}${OBJECT}/public/${made.file}`;
const linkFor = async (headers: Record<string, string> = {}) =>
  (await ask(publicUrl(), headers)).headers.get('location')!;
const restrict = (new_access: 'link' | 'restricted') =>
  app.rpc('update_folder_settings', { folder_id: made.folder.id, new_access }, mika);

describe('the site’s origin', () => {
  test('leads to the bytes and sends none, whichever way a file is asked for', async () => {
    const signed = await app.call('POST', `${OBJECT}/sign/${made.file}`, { body: { expiresIn: 60 } });
    const { signedURL } = (await signed.json()) as { signedURL: string };
    for (const url of [publicUrl(), `${app.baseUrl}${OBJECT}/${made.file}`, `${app.baseUrl}/storage/v1${signedURL}`]) {
      const response = await ask(url);
      expect(response.status).toBe(307);
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      const link = response.headers.get('location')!;
      expect(new URL(link).origin).toBe(content);
      const bytes = await (await ask(link)).arrayBuffer();
      expect(sha256(new Uint8Array(bytes))).toBe(sha256(made.bytes));
    }
  });

  test('answers for a file that is not there itself, and has no route of the other origin', async () => {
    expect((await ask(`${publicUrl()}x`)).status).toBe(404);
    const link = await linkFor();
    expect((await ask(link.replace(content, app.baseUrl))).status).toBe(404);
  });

  test('has a policy that lets the page load from the other origin', async () => {
    const policy = (await ask(`${app.baseUrl}/f/abc`)).headers.get('content-security-policy');
    for (const what of ['connect-src', 'img-src', 'media-src']) {
      expect(policy?.split('; ').find((rule) => rule.startsWith(what))).toContain(content);
    }
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval' 'sha256-");
  });
});

describe('the other origin', () => {
  test('serves nothing but bytes, by link alone', async () => {
    for (const path of [
      '/',
      '/f/abc',
      '/auth/v1/session',
      '/openapi.json',
      `${OBJECT}/public/${made.file}`,
      '/metrics',
    ]) {
      expect([path, (await ask(content + path)).status]).toEqual([path, 404]);
    }
    const link = await linkFor();
    const [path] = link.split('?');
    expect((await ask(path!)).status).toBe(400);
    expect(await codeOf(await ask(`${path}x?${new URL(link).search}`))).toBe('storage.bad_token');
  });

  test('lets the site’s page alone read its answers, ranges and errors included', async () => {
    const link = await linkFor();
    const origin = app.config.publicUrl;
    const part = await ask(link, { origin, range: 'bytes=5-9' });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(made.bytes.subarray(5, 10));
    expect(part.headers.get('access-control-allow-origin')).toBe(origin);
    expect(part.headers.get('access-control-expose-headers')).toContain('content-range');
    expect(part.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(part.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    const refused = await ask(link.replace('token=', 'token=x'), { origin });
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    const preflight = await ask(link, { origin, 'access-control-request-method': 'GET' }, 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('if-range');
    for (const method of ['GET', 'OPTIONS']) {
      const stranger = await ask(link, { origin: 'https://elsewhere.example.org' }, method);
      expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
      await stranger.body?.cancel();
    }
  });

  test('asks at each request whether the reader of the link may still read', async () => {
    const [stranger, owner] = [await linkFor(), await linkFor({ cookie: mika.cookie })];
    const bearer = await linkFor({ authorization: `Bearer ${mika.bearer}` });
    await restrict('restricted');
    expect((await ask(publicUrl())).status).toBe(404);
    expect((await ask(publicUrl(), { cookie: jonas.cookie })).status).toBe(404);
    expect((await ask(stranger)).status).toBe(404);
    for (const link of [owner, bearer]) {
      const response = await ask(link);
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
    // The link is the reader's alone: cookies make no difference.
    expect((await ask(stranger, { cookie: mika.cookie })).status).toBe(404);
    await app.call('POST', '/auth/v1/logout', { as: mika });
    for (const link of [owner, bearer]) expect((await ask(link)).status).toBe(404);
    mika = await app.signIn('mika');
    await restrict('link');
    await deleteFolder(app, mika, made.folder);
    expect((await ask(stranger)).status).toBe(404);
  });
});
