// Reads from the built page which browsers it runs in: each syntax and function that it uses, by MDN's browser-compat-data.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../runtime/paths.mjs';
import { DETECTED, OTHERS } from './detected-features.mjs';

const require = createRequire(join(ROOT, 'apps/web/package.json'));

/** The columns of the table, and whose versions they are: the latest of them counts. */
const BROWSERS = {
  chrome: ['chrome', 'edge', 'chrome_android'],
  firefox: ['firefox', 'firefox_android'],
  safari: ['safari', 'safari_ios'],
};
const COLUMNS = Object.keys(BROWSERS);
const TITLES = { chrome: 'Chrome, Edge', firefox: 'Firefox', safari: 'Safari, iOS' };

/** Objects that scripts reach by their own name, and the interface that has their members. */
const OBJECTS = {
  navigator: 'Navigator',
  document: 'Document',
  location: 'Location',
  history: 'History',
  crypto: 'Crypto',
  performance: 'Performance',
  'crypto.subtle': 'SubtleCrypto',
  'navigator.storage': 'StorageManager',
  'navigator.locks': 'LockManager',
  'navigator.serviceWorker': 'ServiceWorkerContainer',
  'navigator.clipboard': 'Clipboard',
};

const SYNTAX = {
  ChainExpression: 'operators.optional_chaining',
  StaticBlock: 'classes.static_initialization_blocks',
  PropertyDefinition: 'classes.public_class_fields',
  PrivateIdentifier: 'classes.private_class_fields',
  ImportExpression: 'operators.import',
  MetaProperty: ({ meta }) => meta.name === 'import' && 'operators.import_meta',
  LogicalExpression: ({ operator }) => operator === '??' && 'operators.nullish_coalescing',
  AssignmentExpression: ({ operator }) =>
    ({
      '??=': 'operators.nullish_coalescing_assignment',
      '||=': 'operators.logical_or_assignment',
      '&&=': 'operators.logical_and_assignment',
    })[operator],
  BinaryExpression: ({ left }) => left.type === 'PrivateIdentifier' && 'classes.private_class_fields_in',
  ForOfStatement: (node) => node.await && 'statements.for_await_of',
  FunctionDeclaration: (node) => node.async && node.generator && 'statements.async_generator_function',
  FunctionExpression: (node) => node.async && node.generator && 'operators.async_generator_function',
  VariableDeclaration: ({ kind }) => kind.endsWith('using') && `statements.${kind.replace(' ', '_')}`,
  CatchClause: ({ param }) => param === null && 'statements.try_catch.optional_catch_binding',
  ImportAttribute: 'statements.import.import_attributes',
};
const PATTERNS = [
  [/\(\?<[=!]/, 'lookbehind_assertion'],
  [/\(\?<\w/, 'named_capturing_group'],
  [/\\[pP]\{/, 'unicode_character_class_escape'],
  [/\(\?[ims]*-?[ims]+:/, 'modifier'],
];
const FLAGS = { d: 'hasIndices', s: 'dotAll', v: 'unicodeSets', y: 'sticky', u: 'unicode' };

function* walk(node, parent, key) {
  if (Array.isArray(node)) {
    for (const one of node) yield* walk(one, parent, key);
    return;
  }
  if (typeof node?.type !== 'string') return;
  yield [node, parent, key];
  for (const [name, value] of Object.entries(node))
    if (value && typeof value === 'object') yield* walk(value, node, name);
}

const nameOf = ({ property, computed }) =>
  computed ? typeof property.value === 'string' && property.value : property.name;

/** `a.b.c` as text; null where it is no chain of names. */
function pathOf(node) {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'ChainExpression') return pathOf(node.expression);
  if (node.type !== 'MemberExpression') return null;
  const [path, name] = [pathOf(node.object), nameOf(node)];
  return path && name ? `${path}.${name}`.replace(/^(globalThis|window|self)\./, '') : null;
}

const NO_REFERENCE = {
  MemberExpression: ({ computed }, key) => key === 'property' && !computed,
  Property: ({ computed, shorthand }, key) => key === 'key' && !computed && !shorthand,
  MethodDefinition: ({ computed }, key) => key === 'key' && !computed,
  PropertyDefinition: ({ computed }, key) => key === 'key' && !computed,
  ExportSpecifier: () => true,
  ImportSpecifier: () => true,
};
/** Names that a script declares itself, anywhere in it: build and minifier give them names that no global has. */
function declaredIn(program) {
  const names = new Set();
  const take = (pattern) => {
    for (const [node, parent, key] of walk(pattern))
      if (node.type === 'Identifier' && !(parent && NO_REFERENCE[parent.type]?.(parent, key))) names.add(node.name);
  };
  for (const [node] of walk(program)) {
    if (node.type === 'VariableDeclarator' || /^(Function|Class)/.test(node.type)) take(node.id);
    if (/Function/.test(node.type)) take(node.params);
    if (/^Import\w*Specifier$/.test(node.type)) take(node.local);
    if (node.type === 'CatchClause') take(node.param);
  }
  return names;
}

/** What a script uses. Members of objects of unknown kind are only names: `members`, unless scripts define such a name themselves. */
export function usesOf(program) {
  const declared = declaredIn(program);
  const uses = { syntax: new Set(), globals: new Set(), members: new Set(), own: new Set() };
  for (const [node, parent, key] of walk(program)) {
    const rule = SYNTAX[node.type];
    const syntax = typeof rule === 'function' ? rule(node) : rule;
    if (syntax) uses.syntax.add(syntax);
    if (node.regex) {
      for (const flag of node.regex.flags) if (FLAGS[flag]) uses.syntax.add(`builtins.RegExp.${FLAGS[flag]}`);
      for (const [pattern, name] of PATTERNS)
        if (pattern.test(node.regex.pattern)) uses.syntax.add(`regular_expressions.${name}`);
    }
    if (node.type === 'Identifier' && !declared.has(node.name) && !NO_REFERENCE[parent?.type]?.(parent, key))
      uses.globals.add(node.name);
    if (node.type === 'MemberExpression') {
      const path = pathOf(node);
      const [head] = path?.split('.') ?? [];
      if (path && !declared.has(head)) uses.globals.add(path);
      const name = nameOf(node);
      if (name && parent.type !== 'AssignmentExpression') uses.members.add(name);
      if (name && parent.type === 'AssignmentExpression' && key === 'left') uses.own.add(name);
    }
    if (/^(Property|MethodDefinition|PropertyDefinition)$/.test(node.type) && !node.computed)
      uses.own.add(node.key.name ?? node.key.value);
  }
  return uses;
}

/** Finds features by name in browser-compat-data. */
export function createFeatures(data) {
  const compat = (path) => path.split('.').reduce((at, name) => at?.[name], data)?.__compat;
  const byMember = new Map();
  for (const group of [data.api, data.javascript.builtins])
    for (const owner of Object.values(group))
      for (const [name, member] of Object.entries(owner)) {
        if (name === '__compat' || !member.__compat?.status.standard_track) continue;
        const plain = name.replace(/_(static|event)$/, '');
        byMember.set(plain, [...(byMember.get(plain) ?? []), member.__compat]);
      }
  const firstOf = (paths) => paths.find((path) => compat(path)?.status.standard_track);
  return {
    ofSyntax: (name) => firstOf([`javascript.${name}`]),
    ofGlobal(path) {
      const at = path.lastIndexOf('.');
      if (at < 0) return firstOf([`javascript.builtins.${path}`, `api.${path}`, `api.Window.${path}`]);
      const [object, name] = [path.slice(0, at), path.slice(at + 1)];
      if (OBJECTS[object]) return firstOf([`api.${OBJECTS[object]}.${name}`]);
      return firstOf([
        `javascript.builtins.${path}`,
        `javascript.builtins.${path}_static`,
        `api.${path}_static`,
        `javascript.builtins.${path.replace('.prototype.', '.')}`,
        `api.${path.replace('.prototype.', '.')}`,
      ]);
    },
    versionsOf: (path) => versionsIn([compat(path)]),
    /** Of a member, on whichever object has one by that name: as early as any browser has had one. */
    ofMember: (name) => (byMember.has(name) ? versionsIn(byMember.get(name)) : null),
  };
}

/** A version as a number that compares: 17.4 is 17.004. Infinity where it is not there, 0 where it always was. */
const toNumber = (version) => {
  if (version === 'preview' || version === false || version === null || version === undefined) return Infinity;
  if (version === true) return 0;
  const [major, minor = 0] = String(version).replace('≤', '').split('.').map(Number);
  return major + minor / 1000;
};
export const toVersion = (number) => {
  if (number === Infinity) return '–';
  const minor = Math.round((number % 1) * 1000);
  return `${Math.floor(number)}${minor ? `.${minor}` : ''}`;
};

function addedIn(support) {
  const entries = [support ?? []].flat();
  const usable = entries.filter((one) => !one.flags && !one.version_removed && !one.prefix && !one.alternative_name);
  return Math.min(Infinity, ...usable.map(({ version_added }) => toNumber(version_added)));
}

/** Of several features of one name the earliest. */
const versionsIn = (compats) =>
  Object.fromEntries(
    COLUMNS.map((column) => [
      column,
      Math.min(...compats.map(({ support }) => Math.max(...BROWSERS[column].map((name) => addedIn(support[name]))))),
    ]),
  );

/** @returns {Map<string, Record<string, number>>} by the feature's path, or `.name` of a member: since which versions it is there */
export function needsOf(programs, features) {
  const all = programs.map(usesOf);
  const own = new Set(all.flatMap((uses) => [...uses.own]));
  const needs = new Map();
  for (const { syntax, globals, members } of all) {
    // What no browser has, nothing relies on.
    const add = (name, versions) => {
      if (versions && COLUMNS.some((column) => versions[column] < Infinity)) needs.set(name, versions);
    };
    const paths = [...[...syntax].map(features.ofSyntax), ...[...globals].map(features.ofGlobal)];
    for (const path of paths) if (path) add(path, features.versionsOf(path));
    for (const name of members) if (!own.has(name)) add(`.${name}`, features.ofMember(name));
  }
  return needs;
}

const isDetected = (name) => OTHERS.has(name) || DETECTED.some(({ is }) => is.includes(name));

/** The versions that have all of what is not asked for before its use, and what sets each. */
export function floorOf(needs) {
  const rest = [...needs].filter(([name]) => !isDetected(name));
  return Object.fromEntries(
    COLUMNS.map((column) => {
      const number = Math.max(...rest.map(([, versions]) => versions[column]));
      return [
        column,
        { number, by: rest.flatMap(([name, versions]) => (versions[column] === number ? [name] : [])).sort() },
      ];
    }),
  );
}

/** pdf.js comes with core-js, which has every function that it looks for. */
const WITH_POLYFILLS = /^pdf-/;

const PAGE = 'docs/browsers.md';
const GUARD = 'apps/web/src/shell/page-needs.js';
const VERSIONS = /(var VERSIONS = ).*(?=;)/;
const between = (what) => new RegExp(`(<!-- ${what} -->\n)[^]*?(<!-- end -->)`);

const shownName = (name) => `\`${name.replace(/^(api|javascript)\.(builtins\.)?/, '').replace(/_static$/, '')}\``;
const cell = ({ number, by }) => `${toVersion(number)} (${by.slice(0, 2).map(shownName).join(', ')})`;
const line = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

const versionsTable = (floor) =>
  table(
    COLUMNS.map((column) => TITLES[column]),
    [COLUMNS.map((column) => cell(floor[column]))],
  );

function detectedTable(features) {
  const rows = DETECTED.map(({ is, without }) => {
    const [name] = is;
    const versions = name.startsWith('.') ? features.ofMember(name.slice(1)) : features.versionsOf(name);
    const shown = is.map(shownName).join(', ');
    return [shown, ...COLUMNS.map((column) => toVersion(versions?.[column] ?? 0)), without];
  });
  return table(['', ...COLUMNS.map((column) => TITLES[column]), 'Without it'], rows);
}

/** What page-needs.js says: whole versions suffice for Chrome and Firefox. */
const guardVersions = (floor) =>
  `{ ${COLUMNS.map((column) => `${column}: '${toVersion(floor[column].number)}'`).join(', ')} }`;

async function readBuilt() {
  const { parseAst } = await import(require.resolve('rolldown/parseAst'));
  const dist = join(ROOT, 'apps/web/dist');
  const names = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js') && !WITH_POLYFILLS.test(name));
  return [...names.map((name) => `assets/${name}`), 'sw.js'].map((path) =>
    parseAst(readFileSync(join(dist, path), 'utf8')),
  );
}

/**
 * Compares docs/browsers.md and what page-needs.js says with the built page.
 * @param {{ isMending?: boolean }} options whether to write what they should say
 * @returns {Promise<string[]>} a line for each thing to mend
 */
export async function checkBrowserNeeds({ isMending = false } = {}) {
  const { buildInChild } = await import('../launch/build-outputs.mjs');
  if (!(await buildInChild())) return ['the page could not be built; see above'];
  const features = createFeatures(JSON.parse(readFileSync(require.resolve('@mdn/browser-compat-data'), 'utf8')));
  const needs = needsOf(await readBuilt(), features);
  const floor = floorOf(needs);
  const unused = [...OTHERS, ...DETECTED.flatMap(({ is }) => is)].filter((name) => !needs.has(name));
  const wanted = [
    [PAGE, between('versions'), `\n${versionsTable(floor)}\n\n`],
    [PAGE, between('detected'), `\n${detectedTable(features)}\n\n`],
    [GUARD, VERSIONS, guardVersions(floor)],
  ];
  return [
    ...unused.map((name) => `scripts/checks/detected-features.mjs: nothing uses ${name}`),
    ...wanted.flatMap(([path, place, text]) => {
      const file = join(ROOT, path);
      const before = readFileSync(file, 'utf8');
      const after = before.replace(
        place,
        (_all, head, tail = '') => head + text + (typeof tail === 'string' ? tail : ''),
      );
      if (after === before) return place.test(before) ? [] : [`${path} has no place for ${place}`];
      if (isMending) {
        writeFileSync(file, after);
        return [];
      }
      return [`${path} is not what the built page needs; run node scripts/check.mjs browsers --mend:\n${text}`];
    }),
  ];
}
