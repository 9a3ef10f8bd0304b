import { randomBytes, randomUUID } from 'node:crypto';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder } from '@satchel/contract/entities';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { requesterOfViewer } from '../../src/domain/access/folder-access.ts';
import { createFolderReader } from '../../src/domain/folders/folder-data.ts';
import { letIn, setAccess } from '../support/discord/guests.ts';
import { creationHeaders } from '../support/folders.ts';
import { createTus, expire, freshName, makeFolder, someBytes } from '../support/storage-kit.ts';
import { type Account, createTestApp } from '../support/test-app.ts';

/** A restricted folder does not exist for anyone but its owner and its guests (DESIGN R16). */

const BUCKET = 'unlocked-folders';
const STORAGE = '/storage/v1';

/** All names by which a folder and its content can be requested. */
interface Names {
  readonly folder: Pick<Folder, 'id' | 'slug' | 'bucket_storage_path'>;
  readonly file: string;
  readonly apiToken: string;
}
interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
interface Credentials {
  readonly cookie?: string;
  readonly bearer?: string;
  readonly origin?: string;
}

const rpc = (name: string, body: object): Call => ({ method: 'POST', path: `/rest/v1/rpc/${name}`, body });
const objectOf = ({ folder, file }: Names) => `${BUCKET}/${folder.bucket_storage_path}/${file}`;
const keyPath = ({ folder, apiToken }: Names) => `/bot/${folder.slug}/${apiToken}`;

const app = await createTestApp({ deps: { web: { page: '<p>__CSP_NONCE__</p>', files: new Map() } } });
const owner = await app.signIn('mika');
const stranger = await app.signIn('jonas');

async function makeSealed(): Promise<{ folder: Folder; names: Names }> {
  const made = await makeFolder(app, owner, 'private');
  const file = `${freshName()}.enc`;
  const tus = createTus(app, owner);
  const url = await tus.create({ folder: made, name: file, length: 10 });
  expect((await tus.patch(url, 0, someBytes(10))).status).toBe(204);
  const { body } = await app.rpc<FolderCompleteData>('get_folder_complete_data', { input_folder_slug: made.slug });
  return { folder: made, names: { folder: made, file, apiToken: body.temp_key_api_token! } };
}

const { folder, names } = await makeSealed();
await setAccess(app, owner, folder, 'restricted');
/** Cookies of a browser that was let in, and of one that was let into another folder. */
const guest = await letIn(app, folder);
const another = await makeFolder(app, owner);
await setAccess(app, owner, another, 'restricted');
const guestElsewhere = await letIn(app, another);

describe('restricted folders', () => {
  const signedOf = (of: Names): string => {
    const token = app.deps.tokens.signObject({ path: objectOf(of), expiresAtMs: Date.now() + 60_000 });
    return `${STORAGE}/object/sign/${objectOf(of)}?token=${token}`;
  };

  /** What people with a link may request, each for the folder that `of` names. */
  const READING: Readonly<Record<string, (of: Names) => Call>> = {
    'folder data': (of) => rpc('get_folder_complete_data', { input_folder_slug: of.folder.slug }),
    'the folder': (of) => ({ path: `/rest/v1/folders/${of.folder.slug}` }),
    'a view': (of) => rpc('record_folder_event', { folder_slug: of.folder.slug, kind: 'view' }),
    'its list': (of) => ({
      method: 'POST',
      path: `${STORAGE}/object/list/${BUCKET}`,
      body: { prefix: of.folder.bucket_storage_path },
    }),
    'an object': (of) => ({ path: `${STORAGE}/object/${objectOf(of)}` }),
    'a public object': (of) => ({ path: `${STORAGE}/object/public/${objectOf(of)}` }),
    'a public object’s headers': (of) => ({ method: 'HEAD', path: `${STORAGE}/object/public/${objectOf(of)}` }),
    'a signed address': (of) => ({ method: 'POST', path: `${STORAGE}/object/sign/${objectOf(of)}`, body: {} }),
    'what a signed address gives': (of) => ({ path: signedOf(of) }),
    'the key': (of) => ({ path: keyPath(of) }),
    'the key by a proof': (of) => ({ method: 'POST', path: keyPath(of), body: { proof: 'p'.repeat(43) } }),
  };

  /** What only the owner may do; other signed-in people may try. */
  const OWNING: Readonly<Record<string, (of: Names) => Call>> = {
    'new settings': (of) => rpc('update_folder_settings', { folder_id: of.folder.id, new_name: 'Mine now' }),
    'a new key': (of) =>
      rpc('generate_temp_encryption_key', { folder_id: of.folder.id, encrypted_key: 'ab'.repeat(64) }),
    'the key’s end': (of) => rpc('revoke_temp_encryption_key', { folder_id: of.folder.id }),
    'the folder’s end': (of) => rpc('delete_folder_complete', { folder_id: of.folder.id }),
    'the end of a file': (of) => ({ method: 'DELETE', path: `${STORAGE}/object/${objectOf(of)}` }),
    'the end of files': (of) => ({
      method: 'DELETE',
      path: `${STORAGE}/object/${BUCKET}`,
      body: { prefixes: [`${of.folder.bucket_storage_path}/${of.file}`] },
    }),
    'an upload': (of) => ({
      method: 'POST',
      path: `${STORAGE}/upload/resumable`,
      headers: {
        'tus-resumable': '1.0.0',
        ...creationHeaders(`${of.folder.bucket_storage_path}/x.enc`, 5),
      },
    }),
  };
  const ANALYTICS = (of: Names) => rpc('get_folder_analytics', { folder_slug: of.folder.slug });

  const ask = ({ method = 'GET', path, body, headers }: Call, { cookie, bearer, origin }: Credentials) =>
    fetch(app.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: {
        origin: origin ?? app.config.publicUrl,
        ...(cookie && { cookie }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });

  /** All of an answer that its receiver sees, except the time of day. */
  async function answerTo(call: Call, credentials: Credentials) {
    const response = await ask(call, credentials);
    const headers = [...response.headers].filter(([name]) => name !== 'date');
    return { status: response.status, headers, body: await response.text() };
  }

  const madeUp = (): Names => ({
    folder: { id: randomUUID(), slug: randomBytes(8).toString('hex'), bucket_storage_path: randomUUID() },
    file: names.file,
    apiToken: names.apiToken,
  });

  const outsiders = (): Record<string, Credentials> => ({
    'a visitor without a session': {},
    'a stranger': { cookie: stranger.cookie, bearer: stranger.bearer },
    'a guest of another folder': { cookie: guestElsewhere },
    'a visitor with an invented cookie': { cookie: `guest=${randomBytes(32).toString('base64url')}` },
  });
  const insiders = (): Record<string, Credentials> => ({
    'the owner by bearer and cookie': { cookie: owner.cookie, bearer: owner.bearer },
    'the owner by cookie alone, as a download has it': { cookie: owner.cookie },
    'a guest': { cookie: guest },
    'a guest who is signed in': { cookie: `${stranger.cookie}; ${guest}`, bearer: stranger.bearer },
  });

  describe.each(Object.keys(READING))('asked for %s', (what) => {
    test.each([
      'a visitor without a session',
      'a stranger',
      'a guest of another folder',
      'a visitor with an invented cookie',
    ])('%s gets the answer of a folder that never existed', async (who) => {
      const answer = await answerTo(READING[what]!(names), outsiders()[who]!);
      expect(answer.status).toBe(404);
      expect(answer).toEqual(await answerTo(READING[what]!(madeUp()), outsiders()[who]!));
    });

    test('the owner and guests get it', async () => {
      for (const [who, credentials] of Object.entries(insiders())) {
        const { status } = await answerTo(READING[what]!(names), credentials);
        expect(Math.floor(status / 100), who).toBe(2);
      }
    });
  });

  test('people who ask at the same time get each their own answer, in few statements', async () => {
    const expected = await answerTo(READING['folder data']!(madeUp()), {});
    const all = Object.entries({ ...insiders(), ...outsiders() });
    const many = await Promise.all(
      Array.from({ length: 5 }, () => all)
        .flat()
        .map(async ([who, credentials]) => ({ who, ...(await answerTo(READING['folder data']!(names), credentials)) })),
    );
    for (const { who, status, body } of many) {
      expect(status, who).toBe(who in insiders() ? 200 : 404);
      if (status === 404) expect(body, who).toBe(expected.body);
      else expect(JSON.parse(body).owner_discord_id !== null, who).toBe(who.startsWith('the owner'));
    }

    const query = vi.spyOn(pg.Client.prototype, 'query');
    const readFolder = createFolderReader(app.deps.database.db);
    const requesterOf = (at: number) => requesterOfViewer(at % 2 === 0 ? owner : null);
    const read = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => readFolder(folder.slug, requesterOf(at))),
    );
    const reading = query.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('unnest'));
    query.mockRestore();
    expect(read.map(({ status }) => status)).toEqual(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'fulfilled' : 'rejected')),
    );
    expect(reading.length).toBe(2);
  });

  test('figures are for the owner and for signed-in guests', async () => {
    const { 'a visitor without a session': visitor, ...strangers } = outsiders();
    expect((await ask(ANALYTICS(names), visitor!)).status).toBe(401);
    const asStranger = strangers['a stranger']!;
    expect(await answerTo(ANALYTICS(names), asStranger)).toEqual(await answerTo(ANALYTICS(madeUp()), asStranger));
    expect((await ask(ANALYTICS(names), { cookie: owner.cookie })).status).toBe(200);
    expect((await ask(ANALYTICS(names), { cookie: `${stranger.cookie}; ${guest}` })).status).toBe(200);
  });

  test.each(Object.keys(OWNING))('a stranger who tries %s learns nothing, nor does a guest', async (what) => {
    for (const cookie of [stranger.cookie, `${stranger.cookie}; ${guest}`]) {
      const credentials = { cookie, bearer: stranger.bearer };
      const answer = await answerTo(OWNING[what]!(names), credentials);
      expect(answer.status).toBe(404);
      expect(answer).toEqual(await answerTo(OWNING[what]!(madeUp()), credentials));
    }
  });

  test('pages and their headers are those of a folder that never existed', async () => {
    const nonce = /nonce-[\w-]+|<p>[\w-]+/g;
    for (const prefix of ['/f/', '/']) {
      const page = async (slug: string) => {
        const { headers, ...answer } = await answerTo({ path: prefix + slug }, {});
        return JSON.stringify({ ...answer, headers }).replaceAll(nonce, '');
      };
      expect(await page(folder.slug)).toBe(await page(madeUp().folder.slug));
    }
  });

  test('cookies prove nothing for a page of another site', async () => {
    for (const cookie of [owner.cookie, guest]) {
      const elsewhere = { cookie, origin: 'https://elsewhere.example' };
      expect((await ask(READING['its list']!(names), elsewhere)).status).toBe(404);
      expect((await ask(READING['a signed address']!(names), elsewhere)).status).toBe(404);
    }
    expect(
      (await ask(READING['folder data']!(names), { cookie: guest, origin: 'https://elsewhere.example' })).status,
    ).toBe(404);
  });

  test('a session that has ended, by hand or by time, opens nothing', async () => {
    const statusesFor = async ({ cookie, bearer }: Account) => {
      const answers = [{ cookie }, { bearer }].flatMap((credentials) =>
        ['a public object', 'its list', 'a signed address'].map((what) => ask(READING[what]!(names), credentials)),
      );
      return [...new Set((await Promise.all(answers)).map(({ status }) => status))];
    };
    const [left, late] = [await app.signIn('mika'), await app.signIn('mika')];
    expect([await statusesFor(left), await statusesFor(late)]).toEqual([[200], [200]]);
    await app.call('POST', '/auth/v1/logout', { as: left });
    await app.database.db.execute(
      sql`update sessions set expires_at = now() - interval '1 second' where id = ${late.session_id}::uuid`,
    );
    expect([await statusesFor(left), await statusesFor(late)]).toEqual([[404], [404]]);
  });

  test('a cached copy of a file does not let its browser in', async () => {
    const eTag = (await ask(READING['a public object']!(names), { cookie: guest })).headers.get('etag')!;
    const again = { ...READING['a public object']!(names), headers: { 'if-none-match': eTag } };
    expect((await ask(again, { cookie: guest })).status).toBe(304);
    expect((await ask(again, {})).status).toBe(404);
  });

  test('open to the link again, everyone gets in', async () => {
    const made = await makeSealed();
    await setAccess(app, owner, made.folder, 'restricted');
    expect((await ask(READING['the folder']!(made.names), {})).status).toBe(404);
    await setAccess(app, owner, made.folder, 'link');
    expect((await ask(READING['the folder']!(made.names), {})).status).toBe(200);
  });

  test('expired, it says so to owner and guests, and never existed for others', async () => {
    const made = await makeSealed();
    await setAccess(app, owner, made.folder, 'restricted');
    const cookie = await letIn(app, made.folder);
    await expire(app, made.folder);
    for (const credentials of [{ cookie: owner.cookie }, { cookie }]) {
      const data = await answerTo(READING['folder data']!(made.names), credentials);
      expect(JSON.parse(data.body)).toMatchObject({ folder_slug: made.folder.slug });
      expect((await ask(READING['its list']!(made.names), credentials)).status).toBe(410);
      expect((await ask(READING['a public object']!(made.names), credentials)).status).toBe(410);
    }
    for (const call of Object.values(READING)) {
      expect(await answerTo(call(made.names), {})).toEqual(await answerTo(call(madeUp()), {}));
    }
    const asStranger = { cookie: stranger.cookie, bearer: stranger.bearer };
    for (const call of Object.values(OWNING)) {
      expect(await answerTo(call(made.names), asStranger)).toEqual(await answerTo(call(madeUp()), asStranger));
    }
  });
});
