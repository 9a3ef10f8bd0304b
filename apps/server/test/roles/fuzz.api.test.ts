import { BUCKET } from '@satchel/contract/limits';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { PRIVATE_KEY } from '../support/folders.ts';
import { exchange, expectAnswer, type RawAnswer, type RawRequest } from '../support/raw-http.ts';
import { OBJECT } from '../support/storage-kit.ts';
import { storedState } from '../support/stored-state.ts';
import { type Account, createTestApp, type TestApp } from '../support/test-app.ts';
import { webOf } from '../support/web.ts';
import {
  FUZZ_DEADLINE,
  fuzzRuns,
  hostileBody,
  hostileHeader,
  hostileQuery,
  hostileSegment,
  type JsonSchema,
} from './hostile-values.ts';
import { makeOwnersCell } from './matrix-rows.ts';

/**
 * Every route of /openapi.json, with any body, path, query and credentials: an answer always comes, it is never 5xx, a
 * refusal is an error of the catalogue, and it leaves nothing behind.
 */

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
}
type Spec = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/**
 * Placeholders for existing things. A call that is valid by chance may end one, and then another of its kind replaces
 * it.
 */
const MARKS = {
  folder: '0a0a0a0a-0000-4000-8000-000000000001',
  storagePath: '0a0a0a0a-0000-4000-8000-000000000002',
  profile: '0a0a0a0a-0000-4000-8000-000000000003',
  upload: '0a0a0a0a-0000-4000-8000-000000000004',
  slug: 'markOfASlug00005',
  name: 'markOfAName00006',
  apiToken: 'markOfAToken00007',
  signature: 'markOfASignature00008',
};
const OBJECT_MARK = `${MARKS.storagePath}/${MARKS.name}`;
const KNOWN = [MARKS.folder, MARKS.slug, MARKS.storagePath, OBJECT_MARK, `${OBJECT_MARK}/`, MARKS.profile, BUCKET];
const PARAMS: Readonly<Record<string, readonly string[]>> = {
  slug: [MARKS.slug],
  api_token: [MARKS.apiToken],
  id: [MARKS.upload, MARKS.folder],
  profile_id: [MARKS.profile],
  picture: ['avatar.png', 'banner.gif'],
  bucket: [BUCKET],
  '*': [OBJECT_MARK, `${OBJECT_MARK}?token=${MARKS.signature}`, MARKS.slug],
};
/** A valid body for each route; a route without one is tried by its schema alone. */
const RIGHT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/rest/v1/rpc/get_folder_complete_data': { input_folder_slug: MARKS.slug },
  '/rest/v1/changes': { slugs: [MARKS.slug] },
  '/rest/v1/rpc/create_folder_with_temp_key': { folder_name: 'Fuzz', ...PRIVATE_KEY },
  '/rest/v1/rpc/update_folder_settings': { folder_id: MARKS.folder },
  '/rest/v1/rpc/delete_folder_complete': { folder_id: MARKS.folder },
  '/rest/v1/rpc/revoke_temp_encryption_key': { folder_id: MARKS.folder },
  '/rest/v1/rpc/stage_folder_labels': {
    folder_id: MARKS.folder,
    stage_id: '00000000-0000-4000-8000-000000000001',
    labels: [{ name: 'a.enc', earlier: '2.a', sealed: '2.b' }],
  },
  '/rest/v1/rpc/generate_temp_encryption_key': { folder_id: MARKS.folder, ...PRIVATE_KEY },
  '/rest/v1/rpc/record_folder_event': { folder_slug: MARKS.slug, kind: 'view' },
  '/rest/v1/rpc/get_folder_analytics': { folder_slug: MARKS.slug },
  '/storage/v1/object/list/{bucket}': { prefix: MARKS.storagePath },
  '/storage/v1/still/{bucket}': { prefix: MARKS.storagePath, names: [OBJECT_MARK], size: 'small' },
  '/storage/v1/object/{bucket}': { prefixes: [OBJECT_MARK] },
  '/discord/intents/redeem': { intent: 'i'.repeat(43) },
};

/** Procedures that may end a thing, so that another must replace it. */
const ENDS = /delete_|update_|revoke_|logout/;

interface Standing {
  readonly owner: Account;
  /** What each placeholder means now. */
  readonly marked: Readonly<Record<keyof typeof MARKS, string>>;
}

async function standing(app: TestApp): Promise<Standing> {
  const owner = await app.signIn('mika');
  const { folder, object, upload, apiToken, signed } = await makeOwnersCell(app, owner);
  const { id, slug, bucket_storage_path: storagePath } = folder;
  return {
    owner,
    marked: {
      folder: id,
      slug,
      storagePath,
      name: object.split('/')[1]!,
      profile: owner.profile_id,
      upload: upload.split('/').at(-1)!,
      apiToken,
      signature: signed.split('token=')[1]!,
    },
  };
}

const app = await createTestApp({ deps: { web: webOf() } });
const { paths } = (await (await app.call('GET', '/openapi.json')).json()) as Spec;
const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
expect(operations.length).toBeGreaterThan(30);
// The first visit creates the salt of the day.
await app.rpc('record_folder_event', { folder_slug: 'a'.repeat(16), kind: 'view' });

describe('any route', FUZZ_DEADLINE, () => {
  let now: Standing;
  let state: unknown;

  async function standAgain(): Promise<void> {
    now = await standing(app);
    state = await storedState(app);
  }

  // Each test begins with existing things, also after a test that ended some.
  beforeEach(() => standAgain());

  const asOwner = ({ owner }: Standing) =>
    [
      ['origin', app.config.publicUrl],
      ['cookie', owner.cookie],
      ['authorization', `Bearer ${owner.bearer}`],
      ['tus-resumable', '1.0.0'],
    ] as const;

  const unmarked = (text: string) =>
    Object.entries(MARKS).reduce(
      (all, [name, mark]) => all.replaceAll(mark, now.marked[name as keyof typeof MARKS]),
      text,
    );

  /** Sends it, and checks that a refusal or a read leaves no trace. */
  async function send({ method, path, body, headers }: RawRequest): Promise<RawAnswer> {
    const sent = { method, path: unmarked(path), headers: headers ?? asOwner(now) };
    const payload = typeof body === 'string' ? unmarked(body) : body;
    const answer = await exchange(app.config.port, { ...sent, ...(payload !== undefined && { body: payload }) });
    expectAnswer(answer, sent);
    const after = await storedState(app);
    const mayChange = answer.status < 300 && !['GET', 'HEAD', 'OPTIONS'].includes(method);
    if (!mayChange) expect(after).toEqual(state);
    else if (method === 'DELETE' || ENDS.test(path)) await standAgain();
    else state = after;
    return answer;
  }

  const pathOf = (template: string): fc.Arbitrary<string> => {
    const parts = template.split(/\{([^}]+)\}/).map((part, at) => {
      if (at % 2 === 0) return fc.constant(part);
      const known = (PARAMS[part] ?? KNOWN).map((text) => fc.constant(text));
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

  test('takes bodies', async () => {
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
      const request = fc.record({
        path: pathOf(path),
        body: hostileBody(schema, KNOWN, RIGHT[path]),
        type: types,
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ type, ...rest }) => {
          await send({ method, ...rest, headers: [...asOwner(now), ['content-type', type]] });
        }),
        fuzzRuns(8),
      );
    }
  });

  test('takes paths and queries', async () => {
    for (const { method, path, operation } of operations) {
      const request = pathWithQuery(path, namesOf(operation));
      await fc.assert(
        fc.asyncProperty(request, async (address) => {
          await send({ method, path: address });
        }),
        fuzzRuns(path.includes('{') ? 8 : 2),
      );
    }
  });

  test('takes cookies, bearers and forwarded addresses: they never make the owner', async () => {
    const { cookie, bearer } = now.owner;
    const cookieName = cookie.split('=')[0];
    const own = [
      '/auth/v1/user',
      '/rest/v1/profiles/me',
      '/rest/v1/folders?owner=me',
      '/rest/v1/uploads?owner=me',
      '/rest/v1/profiles/me/export',
    ];
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
      fuzzRuns(80),
    );
  });
});
