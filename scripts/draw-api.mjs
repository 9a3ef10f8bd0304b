import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './runtime/paths.mjs';

/**
 * Writes the tables of docs/api.md: `node scripts/draw-api.mjs [SITE]` beside `npm start`. Routes and bodies come from the
 * site's /openapi.json, who may call them from the rows of the route × role matrix, errors from the catalogue.
 */
const [site = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const PAGE = join(ROOT, 'docs/api.md');
const ROWS = join(ROOT, 'apps/server/test/roles/matrix-rows.ts');
const METHODS = /^(get|head|post|put|patch|delete|options)$/;
/** Pages and their files, checks of operators, what only Discord or a browser calls. */
const NOT_FOR_CLIENTS =
  /^\/($|\{|f|auth$|auth\/callback|device$|profile$|upload$|operator$|privacy|docs|check$|s\/|\.well-known\/|share-target|dl\/|discord\/(inter|ev))/;

/** The statuses that a row names as [anonymous, viewer, owner], by "METHOD path". */
function rolesOfRoutes() {
  const rows = new Map();
  const text = readFileSync(ROWS, 'utf8');
  const listOf = (list) => {
    const [, status] = /^all\((\d+)\)$/.exec(list) ?? [];
    const constant = new RegExp(`^const ${list} = (\\[.*\\]);`, 'm').exec(text)?.[1];
    return status ? [status, status, status] : (constant ?? list).match(/\d+/g);
  };
  for (const [, route, list] of text.matchAll(/^ {2}'([A-Z]+ \/\S*)': \[\s*(all\(\d+\)|[A-Z_]+|\[[\d, ]+\]),/gm))
    rows.set(route, listOf(list));
  return rows;
}

function callerOf(route, [anonymous, viewer, owner] = []) {
  if (route.includes(' /operator/')) return 'operator';
  if (!anonymous) throw new Error(`${route} has no row in matrix-rows.ts that this script can read`);
  if (anonymous !== '401') return 'anyone';
  return viewer < '300' || viewer === owner ? 'signed in' : 'owner';
}

const cell = (names) => names.map((name) => `\`${name}\``).join(', ');

/** A row for each method of each path that a client may use. */
function routesTable({ paths, components }) {
  const roles = rolesOfRoutes();
  const resolved = (schema = {}) => (schema.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema);
  const fieldsOf = (content) => {
    const { properties = {}, required = [] } = resolved(content?.['application/json']?.schema);
    return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  };
  const rows = [];
  for (const [path, methods] of Object.entries(paths)) {
    if (NOT_FOR_CLIENTS.test(path)) continue;
    for (const [method, { requestBody, parameters = [] }] of Object.entries(methods)) {
      if (!METHODS.test(method) || (method === 'head' && 'get' in methods)) continue;
      const name = method.toUpperCase();
      const route = `${name} ${path.replace('{*}', '*').replace(/\{(\w+)\}/g, ':$1')}`;
      const query = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => `?${parameter.name}`);
      rows.push([
        `\`${name} ${path}\``,
        callerOf(route, roles.get(route)),
        cell([...query, ...fieldsOf(requestBody?.content)]),
      ]);
    }
  }
  const pathOf = ([route]) => route.split(' ')[1];
  return rows.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

/** The codes of the catalogue that the server's sources name, by status. The others are a browser's own. */
function errorsTable() {
  const read = (path) => readFileSync(join(ROOT, path), 'utf8');
  const isTest = (path) => path.includes('.test.');
  const server = globSync('apps/server/src/**/*.ts', { cwd: ROOT })
    .filter((path) => !isTest(path))
    .map(read);
  const catalogue = ['errors.ts', 'error-rows/server-rows.ts'].map((name) => read(join('packages/contract/src', name)));
  const codes = new Map();
  for (const [, code, status] of catalogue.join('\n').matchAll(/^ {2}'?([\w.]+)'?: row\(\s*(\d+)/gm))
    if (server.some((text) => text.includes(`'${code}'`))) codes.set(status, [...(codes.get(status) ?? []), code]);
  return [...codes].sort(([a], [b]) => a - b).map(([status, names]) => [status, cell(names.sort())]);
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const spec = await (await fetch(new URL('/openapi.json', site))).json();
let page = readFileSync(PAGE, 'utf8');
for (const [place, text] of [
  ['routes', table(['Route', 'Who', 'Query, and fields of the JSON body'], routesTable(spec))],
  ['errors', table(['Status', 'Codes'], errorsTable())],
])
  page = page.replace(
    new RegExp(`(<!-- ${place} -->\n)[^]*?(<!-- end -->)`),
    (_, begin, end) => `${begin}\n${text}\n\n${end}`,
  );
writeFileSync(PAGE, page);
