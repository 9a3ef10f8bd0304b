import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { ROOT } from '../runtime/paths.mjs';

/** The schema of https://github.com/compose-spec/compose-spec, as dclint ships it, the one thing that is used of dclint. */
const SCHEMA = join(ROOT, 'node_modules/dclint/schemas/compose.schema.json');

let validate;

/** @returns {string[]} one line for each place where a file of Compose, read and merged, breaks the schema */
export function slipsOfCompose(file) {
  validate ??= compile();
  if (validate(file)) return [];
  const errors = validate.errors.filter(({ keyword }) => keyword !== 'oneOf');
  // What may have two forms has an error for each form: "must be string" says nothing of a slip in the longer one.
  const isBelow = (place) => (error) => error.keyword !== 'type' && `${error.instancePath}/`.startsWith(`${place}/`);
  const isOther = ({ keyword, instancePath }) => keyword === 'type' && errors.some(isBelow(instancePath));
  return [...new Set(errors.filter((error) => !isOther(error)).map(lineOf))];
}

function compile() {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  // Ajv knows no https form of draft 7's name, and formats such as "duration" are Compose's own.
  return new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(schema);
}

function lineOf({ instancePath, keyword, message, params }) {
  const place = instancePath.slice(1) || 'the file';
  return keyword === 'additionalProperties'
    ? `${place} has no key ${params.additionalProperty}`
    : `${place} ${message}`;
}
