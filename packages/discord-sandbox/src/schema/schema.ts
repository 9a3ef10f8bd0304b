import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Definitions, JsonSchema } from './json-schema.ts';
import { amended } from './rules/amendments.ts';

/** Discord's own description of its API (its OpenAPI document), put to use by ajv. */

/**
 * - `strict`: what we send. A key that Discord does not know would be dropped by it in silence, so it is an error.
 * - `open`: what we receive. Discord may add keys on any day.
 * - `taken`: what Discord takes, which ignores keys that it doesn't know, and wants whole numbers.
 */
export type Strictness = 'strict' | 'open' | 'taken';

const isPublished = (name: string, definitions: Definitions) => Object.hasOwn(definitions, name);

/** Made by `scripts/follow-discord.ts`. */
const PUBLISHED = new URL('./discord-api.json', import.meta.url);

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const ajv = new Ajv2020({
  allErrors: true,
  // An error comes with the schema and the value that it is of.
  verbose: true,
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

/** Marks the error of a value whose `type` is no type of the union. */
export const UNION = 'union';

/** A union in which `type` says which branch it is, so that errors are those of this one branch. */
function byType(branches: readonly JsonSchema[], types: readonly unknown[]): JsonSchema {
  const known = { enum: [...types], $comment: UNION };
  const none: JsonSchema = { type: 'object', required: ['type'], properties: { type: known } };
  return branches.reduceRight<JsonSchema>((otherwise, branch, at) => {
    const isOfType = { type: 'object', required: ['type'], properties: { type: { const: types[at] } } };
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    return { if: isOfType, then: branch, else: otherwise };
  }, none);
}

interface Context {
  readonly strictness: Strictness;
  readonly definitions: Definitions;
  /** Of the definition. */
  readonly name: string;
}

/** The few numbers of requests that may be fractions, where the document has all of them as plain numbers. */
const FRACTIONS = new Set([
  'ApplicationCommandNumberOption',
  'ApplicationCommandOptionNumberChoice',
  'MessageAttachmentRequest',
]);

/** Numbers are whole in what Discord takes, but for those few. */
function typeIn(type: JsonSchema['type'], { strictness, name }: Context): JsonSchema['type'] {
  if (strictness !== 'taken' || FRACTIONS.has(name)) return type;
  const whole = (one: string) => (one === 'number' ? 'integer' : one);
  return typeof type === 'string' ? whole(type) : type?.map(whole);
}

/** zod writes `undefined` as a schema that takes everything; in JSON it is the absence of the key. */
const isAnything = (schema: JsonSchema) => Object.keys(schema).length === 0;

function mapUnion(branches: readonly JsonSchema[], context: Context): JsonSchema {
  const real = branches.filter((branch) => !isAnything(branch)).map((branch) => mapSchema(branch, context));
  const [only] = real;
  if (real.length === 1 && only) return only;
  const isNullable = real.some((branch) => branch.type === 'null');
  const told = real.filter((branch) => branch.type !== 'null');
  const types = typesOf(told, context.definitions);
  if (types === null) return { anyOf: real };
  const union = byType(told, types);
  return isNullable ? { anyOf: [union, { type: 'null' }] } : union;
}

/** The schema as ajv is to take it: closed where we send, and a date as Discord writes it, with an offset. */
function mapSchema(schema: JsonSchema, context: Context): JsonSchema {
  const { anyOf, properties, items, allOf, additionalProperties, type, pattern, ...rest } = schema;
  return {
    ...rest,
    ...(type && { type: typeIn(type, context) as string | string[] }),
    ...(pattern !== undefined && rest.format === undefined && { pattern }),
    ...(anyOf && mapUnion(anyOf, context)),
    ...(items && { items: mapSchema(items, context) }),
    ...(allOf && { allOf: allOf.map((each) => mapSchema(each, context)) }),
    ...(properties && { properties: mapAll(properties, context) }),
    ...(properties && context.strictness === 'strict' && { additionalProperties: false }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: mapSchema(additionalProperties, context) }),
  };
}

const mapAll = (schemas: Definitions, context: Context): Definitions =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, mapSchema(schema, context)]));

const known = new Map<Strictness, Definitions>();

/** All of Discord's schemas, for what is sent, received or taken. */
function definitionsFor(strictness: Strictness): Definitions {
  const made = known.get(strictness);
  if (made) return made;
  const definitions = amended(JSON.parse(readFileSync(PUBLISHED, 'utf8')) as Definitions);
  const mapped = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, mapSchema(schema, { strictness, definitions, name })]),
  );
  known.set(strictness, mapped);
  ajv.addSchema({ $id: strictness, $defs: mapped });
  return mapped;
}

/**
 * The schema by that name of Discord's document, such as `MessageResponse`.
 * @throws Error where there is none
 */
export function discordSchema(name: string, strictness: Strictness): JsonSchema {
  const definitions = definitionsFor(strictness);
  const schema = isPublished(name, definitions) ? definitions[name] : undefined;
  if (schema === undefined) throw new Error(`Discord's API has no schema ${name}`);
  return schema;
}

const validators = new Map<string, ValidateFunction>();

function validatorOf(name: string, strictness: Strictness): ValidateFunction {
  const key = `${strictness} ${name}`;
  const made = validators.get(key);
  if (made) return made;
  discordSchema(name, strictness);
  const validator = ajv.compile({ $ref: `${strictness}#/$defs/${name}` });
  validators.set(key, validator);
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

function describe({ keyword, params, instancePath, message }: ErrorObject): string {
  const place = instancePath || '/';
  if (keyword === 'additionalProperties') return `${place}: has no ${params.additionalProperty}`;
  if (keyword === 'required') return `${place}: lacks ${params.missingProperty}`;
  if (keyword === 'maxLength') return `${place}: longer than ${params.limit}`;
  if (keyword === 'minLength') return `${place}: shorter than ${params.limit}`;
  if (keyword === 'maxItems') return `${place}: more than ${params.limit}`;
  if (keyword === 'minItems') return `${place}: fewer than ${params.limit}`;
  if (keyword === 'const') return `${place}: must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'enum') return `${place}: must be one of ${JSON.stringify(params.allowedValues)}`;
  return `${place}: ${message}`;
}

function tellingErrors(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  return errors.filter((error) => isTelling(error, errors));
}

/** ajv's errors by one of Discord's schemas, without those that explain nothing. */
export const errorsOf = (name: string, value: unknown, strictness: Strictness): readonly ErrorObject[] =>
  tellingErrors(validatorOf(name, strictness), value);

function problemsOf(validate: ValidateFunction, value: unknown, at: string): string[] {
  const lines = tellingErrors(validate, value).map((error) => describe(error));
  return [...new Set(lines.map((line) => at + (at ? line.replace(/^\/:/, ':') : line)))];
}

/**
 * What is wrong with a value by one of Discord's schemas, a short line each, such as
 * `/data/embeds/0/title: longer than 256`.
 * @param at where the value is in a larger one
 */
export const problemsBySchema = (name: string, value: unknown, strictness: Strictness, at = ''): string[] =>
  problemsOf(validatorOf(name, strictness), value, at);

/** The same by a schema of our own, for what Discord's document leaves out. */
export function createCheck(schema: object): (value: unknown) => string[] {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return problemsOf(validate, value, '');
  };
}
