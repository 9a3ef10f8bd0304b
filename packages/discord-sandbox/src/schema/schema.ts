import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

/** Discord's own description of its API, made by `scripts/follow-discord.ts`. */
const PUBLISHED = new URL('./discord-api.json', import.meta.url);
const ID = 'discord';
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

let loaded: Ajv2020 | undefined;

function load(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    // Bodies are few and small: validators that are made in half the time matter more than fast ones.
    inlineRefs: false,
    code: { optimize: false },
    // They come from a generator: looking at the schemas themselves would only cost time.
    strict: false,
    validateSchema: false,
    formats: { uri: (text: string) => URL.canParse(text), 'date-time': DATE_TIME },
  });
  return ajv.addSchema({ $id: ID, $defs: JSON.parse(readFileSync(PUBLISHED, 'utf8')) });
}

const isAt = (error: ErrorObject, path: string) =>
  error.instancePath === path || error.instancePath.startsWith(`${path}/`);

/** A union says of each of its branches why it is none of them; that null was possible, too, explains nothing. */
function isTelling({ keyword, params, instancePath }: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (keyword === 'if') return false;
  if (keyword === 'anyOf' || (keyword === 'type' && params.type === 'null')) {
    return !all.some((other) => other.keyword !== 'anyOf' && other.params.type !== 'null' && isAt(other, instancePath));
  }
  return true;
}

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
 * @throws Error where Discord's document has no schema of that name
 */
export function problemsBySchema(name: string, value: unknown, at = ''): string[] {
  loaded ??= load();
  const validate = loaded.getSchema(`${ID}#/$defs/${name}`);
  if (validate === undefined) throw new Error(`Discord's API has no schema ${name}`);
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const telling = errors.filter((error) => isTelling(error, errors));
  return [...new Set(telling.map((error) => lineOf(at + error.instancePath, inWords(error))))];
}
