import { anyCharacter } from '@satchel/contract/testing/any-text';
import { deadline } from '@satchel/contract/testing/pace';
import fc from 'fast-check';

/** What attackers and broken programs send: generators for the fuzz tests. */

/** A schema as in /openapi.json. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const TIMES = Number(process.env.FUZZ_TIMES ?? 1);

/** One round for every day; `FUZZ_TIMES=100` searches longer, and `FUZZ_SEED` repeats what a failure printed. */
export const fuzzRuns = (runs: number): fc.Parameters<unknown> => ({
  numRuns: runs * TIMES,
  ...(process.env.FUZZ_SEED && { seed: Number(process.env.FUZZ_SEED) }),
});

/** Only a hang takes longer. */
export const FUZZ_DEADLINE = { timeout: deadline(120) * TIMES };

const LONG = 20_000;
const NASTY_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff tail',
  'e\u0301\u0301\u0301',
  '\u202egnp.exe',
  '\ufeff',
  '\u{1f4a9}',
  '../../etc/passwd',
  '..\\..\\windows',
  "' or 1=1 --",
  '"; drop table folders; --',
  '$(id)',
  '{{7*7}}',
  '%00',
  '%s%n%x',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e999',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '2026-02-29T00:00:00+23:59',
  '00000000-0000-0000-0000-000000000000',
  'a'.repeat(LONG),
  '\u{1f4a9}'.repeat(LONG / 4),
  'é'.repeat(300),
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 80 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 80 }) },
);

const DEEP = 5000;
/** JSON, or almost, where something else was expected. */
const NASTY_JSON = [
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '-0',
  '-1',
  '0.1',
  '1e308',
  '1e999',
  '-1e999',
  '1e-999',
  '2147483648',
  '9007199254740993',
  '123456789012345678901234567890',
  // Not JSON.
  'NaN',
  'Infinity',
  'undefined',
  '0x10',
  '01',
  '.5',
  "'a'",
  '"\\u12"',
  '"\\ud800"',
  '"\n"',
  '// a comment',
  // A careless merge writes these into a prototype.
  '{"__proto__":{"is_operator":true}}',
  '{"constructor":{"prototype":{"is_operator":true}}}',
  '{"toString":1,"valueOf":1,"then":1,"toJSON":1,"length":-1}',
  '['.repeat(DEEP) + ']'.repeat(DEEP),
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `[${'0,'.repeat(LONG)}0]`,
];

const hostileJsonText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY_JSON) },
  { weight: 2, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

const textOf = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map((value) => JSON.stringify(value));

const matching = new Map<string, fc.Arbitrary<string>>();

/** Made once for each pattern: fast-check throws and catches an error for each text that it tries with a new one. */
function textIn(pattern: string): fc.Arbitrary<string> {
  const texts = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matching.set(pattern, texts);
  return texts;
}

function stringOf(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<string> {
  const inPattern = schema.pattern ? [textIn(schema.pattern)] : [hostileText];
  // Existing values lead further into the server than invented ones.
  const fitting = known.filter((text) => !schema.pattern || new RegExp(schema.pattern).test(text));
  return fitting.length > 0 ? fc.oneof(...inPattern, fc.constantFrom(...fitting)) : inPattern[0]!;
}

function numberOf({ type, minimum = -1e15, maximum = 1e15 }: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [Math.max(minimum, -1e15), Math.min(maximum, 1e15)];
  const edges = fc.constantFrom(min, max, Math.min(max, Math.max(min, 0)), Math.min(max, Math.max(min, 1)));
  return fc.oneof(edges, type === 'integer' ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true }));
}

/** JSON text that fits a schema. `known` are strings with a meaning to the server. */
export function fittingJson(schema: JsonSchema, known: readonly string[]): fc.Arbitrary<string> {
  const part = (inner: JsonSchema) => fittingJson(inner, known);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(part));
  if (schema.enum) return textOf(fc.constantFrom(...schema.enum));
  if (typeof schema.type === 'object') return fc.oneof(...schema.type.map((type) => part({ ...schema, type })));
  switch (schema.type) {
    case 'object':
      return fc.record(membersOf(schema, part), { requiredKeys: [...(schema.required ?? [])] }).map(writeObject);
    case 'array':
      return fc.array(part(schema.items ?? {}), { maxLength: 4 }).map((items) => `[${items.join(',')}]`);
    case 'string':
      return textOf(stringOf(schema, known));
    case 'integer':
    case 'number':
      return textOf(numberOf(schema));
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'null':
      return fc.constant('null');
    default:
      return fc.json({ maxDepth: 2 });
  }
}

type Members = Readonly<Record<string, string | undefined>>;
const writeObject = (members: Members) => {
  const written = Object.entries(members).filter(([, text]) => text !== undefined);
  return `{${written.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
};

const textsOf = (members: Readonly<Record<string, unknown>>): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));

const membersOf = (
  { properties = {} }: JsonSchema,
  part: (schema: JsonSchema) => fc.Arbitrary<string>,
): Record<string, fc.Arbitrary<string>> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, part(schema)]));

/** Spoils the whole text of a body. */
const spoilings = fc.constantFrom<((text: string) => string | Uint8Array)[]>(
  (text) => text.slice(0, -1),
  (text) => text.slice(0, Math.floor(text.length / 2)),
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  (text) => `[${text}]`,
  (text) => text.replace('{', '{"__proto__":{"a":1},'),
  (text) => text.replace('{', '{"constructor":{"prototype":{"a":1}},'),
  (text) => text.replace(/"[^"]*":/, (name) => `${name}1,${name}`),
  (text) => Buffer.concat([Buffer.from(text.slice(0, 2)), Buffer.from([0xc0, 0xaf, 0xff]), Buffer.from(text.slice(2))]),
  (text) => Buffer.from(text, 'utf16le'),
  () => '',
);

/** Valid except for one or two members, which only fit the schema, or are hostile. */
function almostRight(
  { properties = {}, required = [] }: JsonSchema,
  known: readonly string[],
  right: Members | undefined,
): fc.Arbitrary<string> {
  const member = (schema: JsonSchema) =>
    fc.oneof({ weight: 3, arbitrary: fittingJson(schema, known) }, { weight: 2, arbitrary: hostileJsonText });
  const needed = Object.fromEntries(required.map((name) => [name, fittingJson(properties[name] ?? {}, known)]));
  const names = Object.keys(properties);
  const others = fc
    .subarray(names, { maxLength: Math.min(2, names.length) })
    .chain((some) => fc.record(Object.fromEntries(some.map((name) => [name, member(properties[name]!)]))));
  return fc
    .tuple(right ? fc.constant(right) : fc.record<Members>(needed), others)
    .map(([before, changed]) => writeObject({ ...before, ...changed }));
}

/**
 * The body of a JSON route: fitting, valid except for some members, something else, or broken.
 * @param known strings with a meaning to the server
 * @param right a valid body; without one the schema has to do
 */
export function hostileBody(
  schema: JsonSchema,
  known: readonly string[],
  right?: Readonly<Record<string, unknown>>,
): fc.Arbitrary<string | Uint8Array> {
  const fitting = fittingJson(schema, known);
  return fc.oneof(
    { weight: 2, arbitrary: fitting },
    { weight: 6, arbitrary: almostRight(schema, known, right && textsOf(right)) },
    { weight: 1, arbitrary: hostileJsonText },
    { weight: 2, arbitrary: fc.tuple(fitting, spoilings).map(([text, spoil]) => spoil(text)) },
  );
}

/** In a form that a header can carry: other values never get as far as a route. */
const forHeader = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
    .replace(/[\u0000-\u001f\u007f]/g, '~')
    .slice(0, 6000);
const NASTY_HEADERS = [
  '0',
  '-0',
  '+1',
  '1.5',
  '1e3',
  '0x1',
  '١٢',
  '1, 1',
  '9007199254740993',
  '9'.repeat(20),
  ',',
  '*',
  '"',
];
export const hostileHeader: fc.Arbitrary<string> = fc
  .oneof(hostileText, fc.constantFrom(...NASTY_HEADERS))
  .map(forHeader);

const NASTY_SEGMENTS = [
  '%',
  '%0',
  '%zz',
  '%00',
  '%2e%2e',
  '..',
  '.',
  '..%2f..%2fetc',
  '%252e%252e%252f',
  '..%5c..',
  '\\..\\',
  '%c0%ae%c0%ae',
  '%c0%af',
  '%ed%a0%80',
  '%f4%90%80%80',
  '%ff',
  ';a=b',
  ':slug',
  '*',
  '{slug}',
  '[',
  '|',
  '"',
  '<>',
  '%0d%0aset-cookie:a=b',
  '%e2%80%ae',
  '__proto__',
  'constructor',
  'a'.repeat(2047),
  'a'.repeat(2049),
  '%41'.repeat(700),
];

/** One segment of a path. */
export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY_SEGMENTS) },
  { weight: 2, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 4000)) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary-ascii', maxLength: 30 }).map((text) => text.replace(/[\0-\x20\x7f?#]/g, '~')),
  },
);

/** Query strings, without their question mark. */
export const hostileQuery = (names: readonly string[]): fc.Arbitrary<string> => {
  const name = fc.oneof(fc.constantFrom('__proto__', 'a[b]', 'constructor[prototype]', '', ...names), hostileSegment);
  const pair = fc.tuple(name, hostileSegment).map((parts) => parts.join('='));
  const raw = fc.constantFrom('?', '&&&', '=', '%', '%zz=%zz', 'a'.repeat(LONG / 4), 'a&'.repeat(2000));
  return fc.oneof(
    fc.array(pair, { maxLength: 5 }).map((pairs) => pairs.join('&')),
    raw,
  );
};
