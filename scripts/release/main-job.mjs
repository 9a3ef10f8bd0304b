// Usage: node scripts/release/main-job.mjs http://127.0.0.1:3000. Does a person's main job at a site whose Discord is the
// sandbox, by HTTP alone: page, sign-in, folder, upload in two parts, download, deletion.
import { createHash, randomBytes } from 'node:crypto';

const FILE_BYTES = 3 * 1024 * 1024 + 7;
const BUCKET = 'unlocked-folders';
const TUS = { 'tus-resumable': '1.0.0' };

/** @throws at the first answer that is not as it should be */
async function doMainJob(site) {
  const say = (text) => process.stdout.write(`${text}\n`);
  await readPage(site);
  say('the page and its script are served');
  const person = await signIn(site, 'mika');
  say('mika is signed in');
  const { folder } = await (await person.rpc('create_folder_with_temp_key', { folder_name: 'Main job' }, 201)).json();
  const path = `${folder.bucket_storage_path}/whole_1_a.bin`;
  const bytes = randomBytes(FILE_BYTES);
  await upload(site, person, { path, bytes });
  say(`${FILE_BYTES} bytes are uploaded, in two parts`);
  const address = `${site}/storage/v1/object/public/${BUCKET}/${path}`;
  const stored = Buffer.from(await (await expectStatus(await fetch(address), 200)).arrayBuffer());
  if (hashOf(stored) !== hashOf(bytes)) throw new Error('what was downloaded is not what was uploaded');
  say('the same bytes are downloaded');
  await person.rpc('delete_folder_complete', { folder_id: folder.id }, 204);
  const { status } = await fetch(address);
  if (status < 400) throw new Error(`a file of a deleted folder answers ${status}`);
  say(`the folder is deleted, and its file answers ${status}`);
}

async function readPage(site) {
  const page = await (await expectStatus(await fetch(`${site}/`), 200)).text();
  const [, script] = /<script[^>]+src="([^"]+)"/.exec(page) ?? [];
  if (!script) throw new Error('the page has no script');
  await expectStatus(await fetch(new URL(script, site)), 200);
  await expectStatus(await fetch(`${site}/healthz`), 200);
  await expectStatus(await fetch(`${site}/readyz`), 200);
}

async function signIn(site, persona) {
  const cookies = new Map();
  const visit = async (url, { headers, ...init } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { ...headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    return response;
  };
  const begun = await expectStatus(await visit(`${site}/auth/v1/authorize?provider=discord&redirect_to=/profile`), 200);
  const { url: consent } = await begun.json();
  const callback = redirectOf(await fetch(`${consent}&persona=${persona}`, { redirect: 'manual' }));
  const landed = redirectOf(await visit(callback));
  if (landed.includes('error')) throw new Error(`the sign-in ended at ${landed}`);
  const { session } = await (await expectStatus(await visit(`${site}/auth/v1/session`), 200)).json();
  return {
    token: session.access_token,
    rpc: async (name, input, status) => {
      const headers = { origin: site, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(input) };
      return expectStatus(await visit(`${site}/rest/v1/rpc/${name}`, init), status);
    },
  };
}

function redirectOf(response) {
  const location = response.headers.get('location');
  if (!location) throw new Error(`${response.url} answers ${response.status}, and leads nowhere`);
  return new URL(location, response.url).href;
}

async function upload(site, { token }, { path, bytes }) {
  const headers = { ...TUS, authorization: `Bearer ${token}` };
  const metadata = {
    bucketName: BUCKET,
    objectName: path,
    contentType: 'application/octet-stream',
    cacheControl: '3600',
  };
  const encoded = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`);
  const created = await fetch(`${site}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.length), 'upload-metadata': encoded.join(',') },
  });
  const address = new URL((await expectStatus(created, 201)).headers.get('location'), site);
  const half = Math.floor(bytes.length / 2);
  for (const [from, to] of [
    [0, half],
    [half, bytes.length],
  ]) {
    const part = { ...headers, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' };
    const answer = await fetch(address, { method: 'PATCH', headers: part, body: bytes.subarray(from, to) });
    await expectStatus(answer, 204);
    if (answer.headers.get('upload-offset') !== String(to)) throw new Error('the server has another offset than sent');
  }
}

async function expectStatus(response, status) {
  if (response.status === status) return response;
  throw new Error(`${response.url} answers ${response.status}, not ${status}: ${await response.text()}`);
}

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

await doMainJob((process.argv[2] ?? 'http://127.0.0.1:3000').replace(/\/$/, ''));
