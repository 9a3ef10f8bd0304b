import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { JsonSchema } from '../../../apps/server/test/roles/hostile-values.ts';

/** The API as described by /openapi.json: operations, parameters and answers. */

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}
interface Described {
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

export interface Operation {
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
export function fits(schema: JsonSchema, value: unknown): boolean {
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
export async function operationsOf(siteUrl: string): Promise<Operation[]> {
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
