import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../runtime/paths.mjs';

const TOP_FOLDERS = ['apps', 'packages', 'scripts', 'tests'];
const NOT_SOURCES = new Set(['node_modules', 'dist']);
const CODE = /\.(ts|tsx|mjs)$/;
const PACKAGE = /^@satchel\/([^/]+)(?:\/(.+))?$/;
const APPS = ['server', 'web'];

// The parser of the bundler that the server is built with; it reads types too, which a scan of emitted code would miss.
const fromServer = createRequire(join(ROOT, 'apps/server/package.json'));
const { parseSync } = await import(pathToFileURL(fromServer.resolve('rolldown/utils')).href);

/**
 * Reads every module of ours under `root`.
 * @returns {Map<string, SourceModule>} by path relative to root, where a SourceModule has `path`, `lineCount`,
 *   `imports` ({ specifier, target, line, isWorker }: target is undefined for what isn't ours), `isBarrel`,
 *   `defaultExportLine`, `envLine` and `syntaxError`
 */
export function readSourceTree(root) {
  const modules = new Map();
  for (const folder of TOP_FOLDERS) {
    for (const path of listCode(root, folder)) modules.set(path, readModule(root, path));
  }
  return modules;
}

function* listCode(root, folder) {
  if (!existsSync(join(root, folder))) return;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !NOT_SOURCES.has(entry.name)) yield* listCode(root, path);
    if (entry.isFile() && CODE.test(entry.name) && !entry.name.endsWith('.d.ts')) yield path;
  }
}

function readModule(root, path) {
  const source = readFileSync(join(root, path), 'utf8');
  const lineAt = (offset) => source.slice(0, offset).split('\n').length;
  const { program, errors } = parseSync(path, source);
  const found = { imports: [], defaultExportLine: undefined, envLine: undefined };
  visit(program, (node) => collect(node, found));
  return {
    path,
    lineCount: source.split('\n').length - (source.endsWith('\n') ? 1 : 0),
    imports: found.imports.map(({ offset, ...found }) => ({
      ...found,
      target: resolveOurs(path, found.specifier),
      line: lineAt(offset),
    })),
    isBarrel: isBarrel(program.body),
    defaultExportLine: found.defaultExportLine === undefined ? undefined : lineAt(found.defaultExportLine),
    envLine: found.envLine === undefined ? undefined : lineAt(found.envLine),
    syntaxError: errors[0]?.message,
  };
}

function visit(node, onNode) {
  if (Array.isArray(node)) {
    for (const item of node) visit(item, onNode);
    return;
  }
  if (!node || typeof node.type !== 'string') return;
  onNode(node);
  for (const key in node) {
    if (typeof node[key] === 'object') visit(node[key], onNode);
  }
}

/** Every way one module can name another: import, export from, import() and, for types, import('…').Name. */
function collect(node, found) {
  const source =
    node.source ?? (node.type === 'TSImportEqualsDeclaration' ? node.moduleReference?.expression : undefined);
  const add = (literal, isWorker = false) => {
    const specifier = stringOf(literal);
    if (specifier !== undefined) found.imports.push({ specifier, offset: literal.start, isWorker });
  };
  if (source) add(source, isWorkerAddress(source));
  if (node.type === 'NewExpression' && isImportMetaUrl(node)) add(node.arguments[0], true);
  if (node.type === 'ExportDefaultDeclaration' || isDefaultSpecifier(node)) found.defaultExportLine ??= node.start;
  if (isProcessEnv(node)) found.envLine ??= node.start;
}

function stringOf(node) {
  if (node?.type === 'TSLiteralType') return stringOf(node.literal);
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  return undefined;
}

/** `new URL('./worker.ts', import.meta.url)`, the form in which bundlers find workers. */
function isImportMetaUrl({ callee, arguments: [, base] }) {
  return callee.name === 'URL' && base?.type === 'MemberExpression' && base.object.type === 'MetaProperty';
}

/** `import address from './worker.ts?worker&url'`: the address of a built worker, and nothing of its code. */
const isWorkerAddress = (source) => /\?worker&url$/.test(stringOf(source) ?? '');

function isDefaultSpecifier(node) {
  return node.type === 'ExportSpecifier' && (node.exported.name ?? node.exported.value) === 'default';
}

function isProcessEnv(node) {
  return node.type === 'MemberExpression' && node.object.name === 'process' && node.property.name === 'env';
}

/** A module that only re-exports, in any syntax. */
function isBarrel(body) {
  const imported = new Set();
  let passedOn = 0;
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local } of statement.specifiers) imported.add(local.name);
    } else if (statement.type === 'ExportAllDeclaration' || (isNamedExport(statement) && statement.source)) {
      passedOn += 1;
    } else if (isNamedExport(statement) && !statement.declaration) {
      if (!statement.specifiers.every(({ local }) => imported.has(local.name))) return false;
      passedOn += statement.specifiers.length;
    } else return false;
  }
  return passedOn > 0;
}

const isNamedExport = (statement) => statement.type === 'ExportNamedDeclaration';

function resolveOurs(from, specifier) {
  const path = specifier.replace(/[?#].*$/, '');
  if (/^\.{1,2}(\/|$)/.test(path)) return posix.normalize(posix.join(posix.dirname(from), path));
  const [, name, subpath] = PACKAGE.exec(path) ?? [];
  if (!name) return undefined;
  const folder = `${APPS.includes(name) ? 'apps' : 'packages'}/${name}/src`;
  return subpath ? `${folder}/${CODE.test(subpath) ? subpath : `${subpath}.ts`}` : folder;
}
