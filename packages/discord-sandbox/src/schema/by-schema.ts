import type { ErrorObject } from 'ajv/dist/2020.js';
import { fault, inside, type Rule, requiredFault, type Spot, typeFault } from './faults.ts';
import type { JsonSchema } from './json-schema.ts';
import { errorsOf, UNION } from './schema.ts';

/** What Discord says of a body that isn't as its schema has it: ajv's errors in the words of Discord's API. */

const quoted = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** To Discord, null is the same as nothing; what is not taken out is an item of a list. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, one]) => one !== null && one !== undefined);
  return Object.fromEntries(given.map(([key, one]) => [key, withoutNulls(one)]));
}

function lengthFault(spot: Spot, least: number | undefined, most: number | undefined) {
  if (least) fault(spot, 'BASE_TYPE_BAD_LENGTH', `Must be between ${least} and ${most ?? '∞'} in length.`);
  else fault(spot, 'BASE_TYPE_MAX_LENGTH', `Must be ${most} or fewer in length.`);
}

const isOf = (schema: JsonSchema, type: string) => schema.type === type || [schema.type].flat().includes(type);
const numberKind = (schema: JsonSchema) => (isOf(schema, 'integer') ? 'int' : 'float');

function kindFault(spot: Spot, schema: JsonSchema, value: unknown) {
  if (isOf(schema, 'object')) return fault(spot, 'MODEL_TYPE_CONVERT', 'Expected an object/dictionary.');
  if (isOf(schema, 'array')) return fault(spot, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  if (isOf(schema, 'boolean')) return fault(spot, 'BOOLEAN_TYPE_PARSE', 'Must be either true or false.');
  if (isOf(schema, 'integer') || isOf(schema, 'number')) {
    return fault(spot, 'NUMBER_TYPE_COERCE', `Value "${quoted(value)}" is not ${numberKind(schema)}.`);
  }
  return fault(spot, 'STRING_TYPE_CONVERT', `Could not interpret "${quoted(value)}" as string.`);
}

/** @throws Error for what stands in one of Discord's schemas, and has no words here yet */
function tell({ keyword, params, data, parentSchema = {} }: ErrorObject, spot: Spot) {
  const schema = parentSchema as JsonSchema;
  switch (keyword) {
    case 'required':
      return requiredFault(inside(spot, params.missingProperty));
    case 'type':
      return kindFault(spot, schema, data);
    case 'minLength':
    case 'maxLength':
      return data === '' ? requiredFault(spot) : lengthFault(spot, schema.minLength, schema.maxLength);
    case 'minItems':
    case 'maxItems':
      return lengthFault(spot, schema.minItems, schema.maxItems);
    case 'minimum': {
      const said = `${numberKind(schema)} value should be greater than or equal to ${schema.minimum}.`;
      return fault(spot, 'NUMBER_TYPE_MIN', said);
    }
    case 'maximum': {
      const said = `${numberKind(schema)} value should be less than or equal to ${schema.maximum}.`;
      return fault(spot, 'NUMBER_TYPE_MAX', said);
    }
    case 'const':
      return typeFault({ ...spot, path: spot.path.slice(0, -1) }, [params.allowedValue]);
    case 'enum': {
      if (schema.$comment === UNION) return typeFault({ ...spot, path: spot.path.slice(0, -1) }, params.allowedValues);
      const list = (params.allowedValues as unknown[]).map((one) => (typeof one === 'string' ? `'${one}'` : one));
      return fault(spot, 'BASE_TYPE_CHOICES', `Value must be one of {${list.join(', ')}}.`);
    }
    case 'pattern':
      return fault(spot, 'NUMBER_TYPE_COERCE', `Value "${quoted(data)}" is not snowflake.`);
    case 'format':
      if (schema.format === 'uri') return fault(spot, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
      return fault(spot, 'DATE_TIME_TYPE_PARSE', `Could not parse ${quoted(data)}. Should be ISO8601.`);
    default:
      throw new Error(`Discord's schema has a keyword that the sandbox doesn't know: ${keyword}`);
  }
}

const keysOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/**
 * A rule by one of Discord's schemas, as Discord takes it: a key that it doesn't know is ignored, and null is nothing.
 * @param name of Discord's document, such as `RichEmbed`
 */
export const bySchema =
  (name: string): Rule =>
  (value, spot) => {
    for (const error of errorsOf(name, withoutNulls(value), 'taken')) {
      tell(error, inside(spot, ...keysOf(error.instancePath)));
    }
  };
