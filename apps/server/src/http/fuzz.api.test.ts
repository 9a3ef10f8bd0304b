import { CATALOGUE } from '@satchel/contract/errors';
import { BUCKET } from '@satchel/contract/limits';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  fuzzRuns,
  hostileBody,
  hostileHeader,
  hostileQuery,
  hostileSegment,
  type JsonSchema,
} from '../testing/hostile-values.ts';
import { exchange, type RawAnswer, type RawRequest } from '../testing/raw-http.ts';
import { createTus, expectBooksToBalance, freshName, makeFolder, OBJECT, someBytes } from '../testing/storage-kit.ts';
import { storedState } from '../testing/stored-state.ts';
import { type Account, createTestApp, DATABASES, type TestApp } from '../testing/test-app.ts';

/**
 * Every route of /openapi.json, with whatever a body, a path, a query and the headers that say who one is can hold: an
 * answer always comes, it is never 5xx, a refusal is a row of the catalogue, and it leaves nothing behind.
 */

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}
type Spec = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** What is there, and may be gone after a call that was right by chance. */
interface Standing {
  readonly owner: Account;
  readonly known: readonly string[];
  readonly params: Readonly<Record<string, readonly string[]>>;
}

async function standing(app: TestApp): Promise<Standing> {
  const owner = await app.signIn('mika');
  const folder = await makeFolder(app, owner);
  const tus = createTus(app, owner);
  const name = freshName();
  const upload = await tus.create({ folder, name, length: 4 });
  expect((await tus.patch(upload, 0, 'open')).status).toBe(204);
  const open = (await tus.create({ folder, name: freshName(), length: 4 })).split('/').at(-1)!;
  const object = `${folder.bucket_storage_path}/${name}`;
  const { id, slug, bucket_storage_path } = folder;
  return {
    owner,
    known: [id, slug, bucket_storage_path, object, `${object}/`, owner.profile_id, BUCKET],
    params: { slug: [slug], id: [open, id], bucket: [BUCKET], '*': [object, `${object}?token=x`, slug] },
  };
}

/** The answer of a route that did what was asked, or refused it as the catalogue says. */
function expectAnswer(answer: RawAnswer | null, { method, path }: RawRequest): asserts answer is RawAnswer {
  expect(answer, 'an answer').not.toBeNull();
  const { status, headers, body } = answer!;
  expect(status).toBeLessThan(500);
  if (status < 400 || method === 'HEAD' || headers.get('content-type')?.startsWith('text/html')) return;
  const refusal = JSON.parse(body.toString());
  if (path.startsWith('/bot/') && refusal.success === false) return expect(refusal.error).toEqual(expect.any(String));
  const { code, params, message } = refusal.error;
  expect(Object.keys(CATALOGUE)).toContain(code);
  const row = CATALOGUE[code as keyof typeof CATALOGUE];
  expect({ status, message }).toEqual({ status: row.status, message: row.text(params) });
}

describe.each(DATABASES)('whatever is sent to any route (%s)', (database) => {
  let app: TestApp;
  let now: Standing;
  let operations: { method: string; path: string; operation: Operation }[];
  let state: unknown;
  const port = () => app.config.port;

  async function standAgain(): Promise<void> {
    now = await standing(app);
    state = await storedState(app);
  }

  beforeAll(async () => {
    app = await createTestApp({ database, deps: { web: { page: '<p>', files: new Map() } } });
    const { paths } = (await (await app.call('GET', '/openapi.json')).json()) as Spec;
    operations = Object.entries(paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    expect(operations.length).toBeGreaterThan(30);
    // The salt of the day is made by the first visit.
    await app.rpc('record_folder_event', { folder_slug: 'a'.repeat(16), kind: 'view' });
    await standAgain();
  });
  afterAll(() => app.close());

  const asOwner = ({ owner }: Standing) =>
    [
      ['origin', app.config.publicUrl],
      ['cookie', owner.cookie],
      ['authorization', `Bearer ${owner.bearer}`],
      ['tus-resumable', '1.0.0'],
    ] as const;

  /** Sends it, and sees that a refusal, or a look, has left no trace. */
  async function send(request: RawRequest): Promise<RawAnswer> {
    const answer = await exchange(port(), request);
    expectAnswer(answer, request);
    const mayChange = answer.status < 300 && !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    if (mayChange) await standAgain();
    else expect(await storedState(app)).toEqual(state);
    return answer;
  }

  const pathOf = (template: string): fc.Arbitrary<string> => {
    const parts = template.split(/\{([^}]+)\}/).map((part, at) => {
      if (at % 2 === 0) return fc.constant(part);
      const known = (now.params[part] ?? now.known).map((text) => fc.constant(text));
      const hostile =
        part === '*' ? fc.array(hostileSegment, { maxLength: 4 }).map((all) => all.join('/')) : hostileSegment;
      return fc.oneof(...known, hostile);
    });
    return fc.tuple(...parts).map((all) => all.join(''));
  };
  const pathWithQuery = (template: string, names: readonly string[]) =>
    fc
      .tuple(pathOf(template), fc.option(hostileQuery(names), { freq: 2 }))
      .map(([path, query]) => (query === null ? path : `${path}?${query}`));
  const namesOf = ({ parameters = [] }: Operation) =>
    parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);

  test('bodies', async () => {
    const types = fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'multipart/form-data'),
      },
      { weight: 1, arbitrary: hostileHeader },
    );
    for (const { method, path, operation } of operations) {
      const schema = operation.requestBody?.content['application/json']?.schema;
      if (!schema) continue;
      const request = fc.record({ path: pathOf(path), body: hostileBody(schema, now.known), type: types });
      await fc.assert(
        fc.asyncProperty(request, async ({ type, ...rest }) => {
          await send({ method, ...rest, headers: [...asOwner(now), ['content-type', type]] });
        }),
        fuzzRuns(40),
      );
    }
  });

  test('paths and queries', async () => {
    for (const { method, path, operation } of operations) {
      const request = pathWithQuery(path, namesOf(operation));
      await fc.assert(
        fc.asyncProperty(request, async (address) => {
          await send({ method, path: address, headers: asOwner(now) });
        }),
        fuzzRuns(path.includes('{') ? 15 : 3),
      );
    }
  });

  test('cookies, bearers and all that says who one is or where one comes from: never the owner', async () => {
    const { cookie, bearer } = now.owner;
    const cookieName = cookie.split('=')[0];
    const own = ['/auth/v1/user', '/rest/v1/profiles/me', '/rest/v1/folders?owner=me', '/rest/v1/profiles/me/export'];
    const almost = (text: string) =>
      fc.constantFrom(text.slice(0, -1), `${text}A`, text.toUpperCase(), `"${text}"`, encodeURIComponent(` ${text}`));
    const cookies = fc.oneof(
      hostileHeader,
      fc.oneof(hostileHeader, almost(cookie.slice(cookie.indexOf('=') + 1))).map((value) => `${cookieName}=${value}`),
    );
    const bearers = fc.oneof(
      hostileHeader,
      fc.oneof(hostileHeader, almost(bearer)).map((token) => `Bearer ${token}`),
    );
    const more = fc.tuple(
      fc.constantFrom('origin', 'referer', 'x-forwarded-for', 'forwarded', 'user-agent', 'accept', 'range'),
      hostileHeader,
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...own, OBJECT), cookies, bearers, more, async (path, wrong, token, other) => {
        const isTus = path === OBJECT;
        const headers = [['cookie', wrong], ['authorization', token], other] as const;
        const answer = await send(
          isTus ? { method: 'POST', path: '/storage/v1/upload/resumable', headers } : { method: 'GET', path, headers },
        );
        expect(answer.status).toBe(401);
      }),
      fuzzRuns(150),
    );
  });

  test('and afterwards the server works as before', async () => {
    const folder = await makeFolder(app, now.owner);
    const tus = createTus(app, now.owner);
    const bytes = someBytes(100_000);
    const name = freshName();
    expect((await tus.patch(await tus.create({ folder, name, length: bytes.length }), 0, bytes)).status).toBe(204);
    const download = await app.call('GET', `${OBJECT}/public/${BUCKET}/${folder.bucket_storage_path}/${name}`);
    expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
    await expectBooksToBalance(app);
  });
});
