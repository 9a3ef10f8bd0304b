import { type FieldErrors, invalidForm, unreadableBody } from './discord-error.ts';

/**
 * What a JSON body must look like, put as rules, and what Discord says where it doesn't: its error 50035, with the
 * faults of every field by the field's place. The codes are those that Discord's API answers with; they aren't
 * documented, but reported all over the issues of its libraries.
 */

export type Path = readonly (string | number)[];

export interface Spot {
  readonly path: Path;
  readonly report: (path: Path, code: string, message: string) => void;
}
export type Rule = (value: unknown, spot: Spot) => void;

export const inside = ({ path, report }: Spot, ...keys: Path): Spot => ({ path: [...path, ...keys], report });
export const fault = ({ path, report }: Spot, code: string, message: string) => report(path, code, message);

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isGiven = (value: unknown) => value !== undefined && value !== null;

/** Discord counts code points. */
export const lengthOf = (text: string) => [...text].length;

const quoted = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export const requiredFault = (spot: Spot) => fault(spot, 'BASE_TYPE_REQUIRED', 'This field is required');

function checkLength(length: number, { min = 0, max }: { min?: number; max: number }, spot: Spot) {
  if (length >= min && length <= max) return;
  if (min > 0) fault(spot, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
  else fault(spot, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
}

/** An empty text, where one is needed, counts as none. */
export const text =
  (limits: { min?: number; max: number }): Rule =>
  (value, spot) => {
    if (typeof value !== 'string') {
      return fault(spot, 'STRING_TYPE_CONVERT', `Could not interpret "${quoted(value)}" as string.`);
    }
    if (value === '' && (limits.min ?? 0) > 0) return requiredFault(spot);
    checkLength(lengthOf(value), limits, spot);
  };

export const matching =
  (pattern: RegExp, rule: Rule, code: string, message: string): Rule =>
  (value, spot) => {
    rule(value, spot);
    if (typeof value === 'string' && value !== '' && !pattern.test(value)) fault(spot, code, message);
  };

const numberRule =
  (name: 'int' | 'float', isSound: (value: number) => boolean) =>
  ({ min, max }: { min?: number; max?: number } = {}): Rule =>
  (value, spot) => {
    if (typeof value !== 'number' || !isSound(value)) {
      return fault(spot, 'NUMBER_TYPE_COERCE', `Value "${quoted(value)}" is not ${name}.`);
    }
    if (max !== undefined && value > max) {
      fault(spot, 'NUMBER_TYPE_MAX', `${name} value should be less than or equal to ${max}.`);
    }
    if (min !== undefined && value < min) {
      fault(spot, 'NUMBER_TYPE_MIN', `${name} value should be greater than or equal to ${min}.`);
    }
  };
export const integer = numberRule('int', Number.isSafeInteger);
export const float = numberRule('float', Number.isFinite);

export const boolean: Rule = (value, spot) => {
  if (typeof value !== 'boolean') fault(spot, 'BOOLEAN_TYPE_PARSE', 'Must be either true or false.');
};

export const snowflake: Rule = (value, spot) => {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return;
  fault(spot, 'NUMBER_TYPE_COERCE', `Value "${quoted(value)}" is not snowflake.`);
};

export const choice =
  (...choices: readonly (string | number)[]): Rule =>
  (value, spot) => {
    if (choices.includes(value as string)) return;
    const list = choices.map((one) => (typeof one === 'string' ? `'${one}'` : one)).join(', ');
    fault(spot, 'BASE_TYPE_CHOICES', `Value must be one of {${list}}.`);
  };

export const url =
  ({ max = 2048, schemes = ['http', 'https'] }: { max?: number; schemes?: readonly string[] } = {}): Rule =>
  (value, spot) => {
    text({ max })(value, spot);
    if (typeof value !== 'string') return;
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value)?.[1]?.toLowerCase();
    if (scheme === undefined || !URL.canParse(value)) {
      return fault(spot, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
    }
    if (schemes.includes(scheme)) return;
    const list = schemes.map((one) => `'${one}'`).join(', ');
    fault(spot, 'URL_TYPE_INVALID_SCHEME', `Scheme "${scheme}" is not supported. Scheme must be one of (${list}).`);
  };

export const time: Rule = (value, spot) => {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value));
  if (!isTime) fault(spot, 'DATE_TIME_TYPE_PARSE', `Could not parse ${quoted(value)}. Should be ISO8601.`);
};

export const list =
  (rule: Rule, limits: { min?: number; max: number }): Rule =>
  (value, spot) => {
    if (!Array.isArray(value)) return fault(spot, 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    checkLength(value.length, limits, spot);
    for (const [at, item] of value.entries()) rule(item, inside(spot, at));
  };

interface Fields {
  readonly required?: Readonly<Record<string, Rule>>;
  readonly optional?: Readonly<Record<string, Rule>>;
}

/** An object; what it has beside these fields is ignored, as Discord does. */
export const model =
  ({ required = {}, optional = {} }: Fields): Rule =>
  (value, spot) => {
    if (!isObject(value)) return fault(spot, 'MODEL_TYPE_CONVERT', 'Expected an object/dictionary.');
    for (const [name, rule] of Object.entries(required)) {
      if (isGiven(value[name])) rule(value[name], inside(spot, name));
      else requiredFault(inside(spot, name));
    }
    for (const [name, rule] of Object.entries(optional)) {
      if (isGiven(value[name])) rule(value[name], inside(spot, name));
    }
  };

/** All of several rules, the later ones on what the earlier ones took. */
export const all =
  (...rules: readonly Rule[]): Rule =>
  (value, spot) => {
    for (const rule of rules) rule(value, spot);
  };

/** One of several models, told apart by their `type`. */
export const byType =
  (rules: Readonly<Record<number, Rule>>): Rule =>
  (value, spot) => {
    if (!isObject(value)) return fault(spot, 'MODEL_TYPE_CONVERT', 'Expected an object/dictionary.');
    if (!isGiven(value.type)) return requiredFault(inside(spot, 'type'));
    const rule = typeof value.type === 'number' ? rules[value.type] : undefined;
    if (rule !== undefined) return rule(value, spot);
    const types = Object.keys(rules);
    // As Python writes a tuple.
    const tuple = types.length === 1 ? `(${types[0]},)` : `(${types.join(', ')})`;
    fault(spot, 'UNION_TYPE_CHOICES', `Value of field "type" must be one of ${tuple}.`);
  };

export const objectsIn = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const MAX_DEPTH = 50;

/** No body that means something is this deep; going down into one that is would be the end of the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

// Fields have the names that the sender gave them, `__proto__` among them.
const noErrors = (): FieldErrors => Object.create(null);

/** @throws DiscordError 50035 with every fault that was found */
export function checkForm(value: unknown, rule: Rule, path: Path = []) {
  if (isTooDeep(value)) throw unreadableBody();
  const errors = noErrors();
  let isSound = true;
  rule(value, {
    path,
    report(at, code, message) {
      isSound = false;
      let node = errors;
      for (const key of at) {
        node[key] ??= noErrors();
        node = node[key] as FieldErrors;
      }
      const known = Array.isArray(node._errors) ? node._errors : [];
      node._errors = [...known, { code, message }];
    },
  });
  if (!isSound) throw invalidForm(errors);
}
