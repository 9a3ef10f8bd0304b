import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { amended, type Definitions, type JsonSchema } from './amendments.ts';

/** Discord's own description of its API (its OpenAPI document), put to use by ajv. */

/** Made by `scripts/follow-discord.ts`. */
const PUBLISHED = new URL('./discord-api.json', import.meta.url);
const ID = 'discord';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const ajv = new Ajv2020({
  allErrors: true,
  // Bodies are few and small: validators that are made in half the time matter more than fast ones.
  inlineRefs: false,
  code: { optimize: false },
  // They come from a generator: looking at the schemas themselves would only cost time.
  strict: false,
  validateSchema: false,
  formats: {
    uri: { type: 'string', validate: (text: string) => URL.canParse(text) },
    'date-time': {
      type: 'string',
      validate: (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
    },
  },
});

const resolve = (schema: JsonSchema, definitions: Definitions): JsonSchema =>
  schema.$ref === undefined ? schema : (definitions[schema.$ref.replace('#/$defs/', '')] ?? schema);

/** By what all branches of a union are told apart, where there is such a thing. */
function typesOf(branches: readonly JsonSchema[], definitions: Definitions): unknown[] | null {
  const types = branches.flatMap((branch) => {
    const { type } = resolve(branch, definitions).properties ?? {};
    return type?.const === undefined ? [] : [type.const];
  });
  return branches.length > 1 && new Set(types).size === branches.length ? types : null;
}

/** A union in which `type` says which branch it is, so that errors come from this one branch. */
function byType(branches: readonly JsonSchema[], types: readonly unknown[]): JsonSchema {
  const none: JsonSchema = { type: 'object', required: ['type'], properties: { type: { enum: [...types] } } };
  return branches.reduceRight<JsonSchema>((otherwise, branch, at) => {
    const isOfType = { type: 'object', required: ['type'], properties: { type: { const: types[at] } } };
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    return { if: isOfType, then: branch, else: otherwise };
  }, none);
}

/** zod writes `undefined` as a schema that takes everything; in JSON it is the absence of the key. */
const isAnything = (schema: JsonSchema) => Object.keys(schema).length === 0;

function mapUnion(branches: readonly JsonSchema[], definitions: Definitions): JsonSchema {
  const real = branches.filter((branch) => !isAnything(branch)).map((branch) => mapSchema(branch, definitions));
  const [only] = real;
  if (real.length === 1 && only) return only;
  const isNullable = real.some((branch) => branch.type === 'null');
  const told = real.filter((branch) => branch.type !== 'null');
  const types = typesOf(told, definitions);
  if (types === null) return { anyOf: real };
  const union = byType(told, types);
  return isNullable ? { anyOf: [union, { type: 'null' }] } : union;
}

/** The schema as ajv takes it: closed, since Discord drops an unknown key without a word. */
function mapSchema(schema: JsonSchema, definitions: Definitions): JsonSchema {
  const { anyOf, properties, items, allOf, additionalProperties, pattern, ...rest } = schema;
  return {
    ...rest,
    ...(pattern !== undefined && rest.format === undefined && { pattern }),
    ...(anyOf && mapUnion(anyOf, definitions)),
    ...(items && { items: mapSchema(items, definitions) }),
    ...(allOf && { allOf: allOf.map((each) => mapSchema(each, definitions)) }),
    ...(properties && { properties: mapAll(properties, definitions), additionalProperties: false }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: mapSchema(additionalProperties, definitions),
    }),
  };
}

const mapAll = (schemas: Definitions, definitions: Definitions): Definitions =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, mapSchema(schema, definitions)]));

let isLoaded = false;

/** @throws Error where Discord's document has no schema of that name */
function validatorOf(name: string): ValidateFunction {
  if (!isLoaded) {
    const definitions = amended(JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Definitions);
    ajv.addSchema({ $id: ID, $defs: mapAll(definitions, definitions) });
    isLoaded = true;
  }
  const validator = ajv.getSchema(`${ID}#/$defs/${name}`);
  if (validator === undefined) throw new Error(`Discord's API has no schema ${name}`);
  return validator;
}

/** A union says of each of its branches why it is none of them; that null was possible, too, explains nothing. */
function isTelling({ keyword, params, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword === 'if') return false;
  if (keyword === 'anyOf' || (keyword === 'type' && params.type === 'null')) {
    return !all.some((other) => other.keyword !== 'anyOf' && other.params.type !== 'null' && isAt(other, instancePath));
  }
  return true;
}
const isAt = (error: ErrorObject, path: string) =>
  error.instancePath === path || error.instancePath.startsWith(`${path}/`);

function inWords({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `has no ${params.additionalProperty}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params.allowedValues)}`;
  return message ?? keyword;
}

/** A problem as a line for people. */
export const lineOf = (place: string, said: string) => `${place || '/'}: ${said}`;

/**
 * What is wrong with a value by one of Discord's schemas, a short line each, such as
 * `/data/embeds/0/title: must NOT have more than 256 characters`.
 * @param at where the value is in a larger one
 */
export function problemsBySchema(name: string, value: unknown, at = ''): string[] {
  const validate = validatorOf(name);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const telling = errors.filter((error) => isTelling(error, errors));
  return [...new Set(telling.map((error) => lineOf(at + error.instancePath, inWords(error))))];
}
