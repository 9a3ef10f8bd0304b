import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomBytesOf } from '../support/files.ts';
import { FRONTS } from '../support/fronts.ts';
import {
  type CreatedFolder,
  createPlainFolder,
  type Person,
  pieceHeaders,
  runTus,
  runTusUntil,
  signIn,
  tusHeaders,
} from '../support/people.ts';
import type { Site } from '../support/site.ts';

/** The API as described by /openapi.json: operations, parameters and answers. */

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}
interface Described {
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly method: string;
  /** With valid values for all parameters that name nothing that exists. */
  readonly path: string;
  readonly body: unknown;
  /** Schema of the answer with that status, if described. */
  answer(status: number): JsonSchema | undefined;
}

const PLACES: Readonly<Record<string, string>> = {
  '*': `${randomUUID()}/file_1700000000000_abcdefgh.bin`,
  bucket: 'unlocked-folders',
  slug: 'aZ09aZ09aZ09aZ09',
};
const schemaOf = (content: Content | undefined) => content?.content?.['application/json']?.schema;

/** The smallest value that fits a schema. */
function exampleOf(schema: JsonSchema): unknown {
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0]);
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type].flat();
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return [];
    case 'string':
      return schema.pattern ? fc.sample(fc.stringMatching(new RegExp(schema.pattern)), 1)[0] : 'example';
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  return type === (Array.isArray(value) || value === null ? 'another' : typeof value);
}

/** Whether a value fits a schema. */
function fits(schema: JsonSchema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((one) => fits(one, value));
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (schema.type && ![schema.type].flat().some((type) => isOfType(type, value))) return false;
  if (typeof value === 'string') return !schema.pattern || new RegExp(schema.pattern).test(value);
  if (Array.isArray(value)) return value.every((item) => fits(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return true;
  const members = value as Record<string, unknown>;
  if (!(schema.required ?? []).every((name) => name in members)) return false;
  return Object.entries(members).every(([name, member]) => fits(schema.properties?.[name] ?? {}, member));
}

/** Every operation of a site. */
async function operationsOf(siteUrl: string): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${siteUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Described>>;
  };
  return Object.entries(paths).flatMap(([template, byMethod]) =>
    Object.entries(byMethod).map(([method, { requestBody, responses }]) => {
      const body = schemaOf(requestBody);
      return {
        method: method.toUpperCase(),
        path: template.replace(/\{(.+?)\}/g, (_, name) => PLACES[name] ?? randomUUID()),
        body: body && exampleOf(body),
        answer: (status) => schemaOf(responses?.[status]),
      };
    }),
  );
}

const MIB = 1024 ** 2;

interface Answer {
  readonly status: number;
  readonly isJson: boolean;
  readonly text: string;
}

const withOtherEnd = (credential: string) => credential.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
const codeOf = ({ isJson, text }: Answer): unknown => isJson && JSON.parse(text).error?.code;

/** A refusal has a code and a text, and in the key service a success flag; other answers have the described form. */
function isInOrder({ answer }: Operation, said: Answer): boolean {
  if (said.status >= 500) return false;
  if (!said.isJson) return true;
  const body = JSON.parse(said.text);
  if (said.status < 400) return fits(answer(said.status) ?? {}, body);
  return typeof body.error === 'string'
    ? body.success === false
    : typeof body.error?.code === 'string' && typeof body.error.message === 'string';
}

describe.each(FRONTS)('what is refused, $name', (front) => {
  let site: Site;
  let mika: Person;
  let jonas: Person;
  let folder: CreatedFolder;
  const path = (name: string) => `${folder.bucket_storage_path}/${name}`;
  const target = (name: string) => ({ url: site.url, person: mika, path: path(name) });
  const stored = async () => {
    const response = await fetch(`${site.url}/storage/v1/object/list/unlocked-folders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prefix: folder.bucket_storage_path }),
    });
    return (await response.json()) as unknown[];
  };
  const account = async () =>
    (await (await mika.call('GET', '/rest/v1/profiles/me')).json()) as { used_bytes: number; reserved_bytes: number };

  async function send({ method, path, body }: Operation, credentials: Record<string, string>): Promise<Answer> {
    const headers = {
      origin: site.url,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...credentials,
    };
    const payload = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(site.url + path, { method, headers, body: payload, redirect: 'manual' });
    const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '') && method !== 'HEAD';
    return { status: response.status, isJson, text: await response.text() };
  }

  beforeAll(async () => {
    site = await front.start({ MAX_FILE_BYTES: String(5 * MIB) });
    mika = await signIn(site, 'mika');
    jonas = await signIn(site, 'jonas');
    folder = await createPlainFolder(mika);
  });
  afterAll(async () => {
    expect(await stored()).toEqual([]);
    expect(await account()).toMatchObject({ used_bytes: 0, reserved_bytes: 0 });
    await site.stop();
  });

  test('a file over the limit: 413 with both sizes', async () => {
    const { error } = await runTus(target('large_1_a.bin'), randomBytesOf(5 * MIB + 1));
    expect(error?.originalResponse?.getStatus()).toBe(413);
    expect(error?.originalResponse?.getBody()).toContain('exceeds maximum allowed size (5MB)');
  });

  test('no bearer or a wrong one: 401 with the words of the catalogue', async () => {
    for (const authorization of ['', 'Bearer nonsense', `Bearer ${mika.token.slice(0, -2)}xx`]) {
      const { error } = await runTus(target('anonymous_1_b.bin'), randomBytesOf(10), { headers: { authorization } });
      expect(error?.originalResponse?.getStatus()).toBe(401);
      expect(error?.originalResponse?.getBody()).toContain('User must be authenticated for file uploads');
    }
  });

  test('a wrong offset: 409, and the upload keeps its offset', async () => {
    const uploadUrl = await runTusUntil(target('offset_1_c.bin'), randomBytesOf(3 * MIB), MIB);
    const headers = tusHeaders(mika);
    const before = (await fetch(uploadUrl, { method: 'HEAD', headers })).headers.get('upload-offset');
    const response = await fetch(uploadUrl, {
      method: 'PATCH',
      headers: pieceHeaders(mika, 7),
      body: 'late',
    });
    expect(response.status).toBe(409);
    expect(await response.text()).toContain('Upload-Offset does not match');
    const after = (await fetch(uploadUrl, { method: 'HEAD', headers })).headers.get('upload-offset');
    expect(after).toBe(before);
    expect((await fetch(uploadUrl, { method: 'DELETE', headers })).status).toBe(204);
  });

  test.each(['../escape.bin', 'a/../b.bin', 'a/b.bin', '..', '.', '', 'back\\slash', 'nul\0byte', 'x'.repeat(256)])(
    'objectName with segment %j: 400',
    async (segment) => {
      const { error } = await runTus(target(segment), randomBytesOf(10));
      expect(error?.originalResponse?.getStatus()).toBe(400);
      expect(error?.originalResponse?.getBody()).toContain('Invalid object path');
    },
  );

  test('a foreign folder: 403; a foreign upload: 404; a missing folder: 404', async () => {
    const foreign = await runTus({ ...target('foreign_1_d.bin'), person: jonas }, randomBytesOf(10));
    expect(foreign.error?.originalResponse?.getStatus()).toBe(403);
    const nowhere = await runTus({ ...target(''), path: 'nowhere-at-all/x_1_e.bin' }, randomBytesOf(10));
    expect(nowhere.error?.originalResponse?.getStatus()).toBe(404);
    const uploadUrl = await runTusUntil(target('mine_1_f.bin'), randomBytesOf(2 * MIB), MIB);
    for (const method of ['HEAD', 'DELETE']) {
      expect((await fetch(uploadUrl, { method, headers: tusHeaders(jonas) })).status).toBe(404);
    }
    expect((await fetch(uploadUrl, { method: 'DELETE', headers: tusHeaders(mika) })).status).toBe(204);
  });

  test('a stranger changes nothing: 401 without a session, 403 with another account’s', async () => {
    const anonymous = await fetch(`${site.url}/rest/v1/rpc/delete_folder_complete`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: site.url },
      body: JSON.stringify({ folder_id: folder.id }),
    });
    expect(anonymous.status).toBe(401);
    expect((await jonas.rpc('delete_folder_complete', { folder_id: folder.id })).status).toBe(403);
    expect((await jonas.rpc('update_folder_settings', { folder_id: folder.id, new_name: 'Mine now' })).status).toBe(
      403,
    );
    const elsewhere = await mika.call('GET', `/rest/v1/folders/${folder.slug}`);
    expect(await elsewhere.json()).toMatchObject({ name: 'Acceptance' });
  });

  test('a write that another site sends with the cookie: 403, and nothing changes', async () => {
    const input = { folder_id: folder.id, new_name: 'From elsewhere' };
    const path = '/rest/v1/rpc/update_folder_settings';
    expect((await mika.call('POST', path, input, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await mika.call('POST', path, input, { origin: 'null' })).status).toBe(403);
    expect((await mika.call('POST', path, input, { 'content-type': 'text/plain' })).status).toBe(415);
    const folderNow = await mika.call('GET', `/rest/v1/folders/${folder.slug}`);
    expect(await folderNow.json()).toMatchObject({ name: 'Acceptance' });
  });

  test('every described call, without and with forged credentials: the same answer, in the described form', async () => {
    const operations = await operationsOf(site.url);
    expect(operations.length).toBeGreaterThan(40);
    const forged = { cookie: withOtherEnd(mika.cookies()), authorization: `Bearer ${withOtherEnd(mika.token)}` };
    const said: string[] = [];
    for (const operation of operations) {
      const without = await send(operation, {});
      const withForged = await send(operation, forged);
      const call = `${operation.method} ${operation.path}`;
      if (!isInOrder(operation, without)) said.push(`${call}: ${without.status} ${without.text}`);
      if (withForged.status !== without.status || codeOf(withForged) !== codeOf(without)) {
        said.push(
          `${call}: ${without.status} without credentials, but ${withForged.status} ${withForged.text} with forged ones`,
        );
      }
    }
    expect(said).toEqual([]);
  });
});
