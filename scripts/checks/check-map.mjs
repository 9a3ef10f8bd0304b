// Compares the map and the pages of the documentation with the folders:
// every room is on docs/architecture.svg and every room there exists; every path and every page that a page names exists;
// a journey of docs/architecture.md leads forward only. Newcomers read these pages, and can't check them yet.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSourceTree } from './source-tree.mjs';

const MAP = 'docs/architecture.svg';
const PAGE = 'docs/architecture.md';
/** Records in docs/decisions keep the paths of their day. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'packages/*/README.md'];
const SERVER = 'apps/server/src';
const WEB = 'apps/web/src';

/** The folders whose folders are rooms. */
const FLOORS = [
  'packages',
  'apps',
  SERVER,
  `${SERVER}/bot`,
  `${SERVER}/domain`,
  `${SERVER}/http`,
  `${SERVER}/platform`,
  WEB,
  `${WEB}/account`,
  `${WEB}/engine`,
  `${WEB}/features`,
  `${WEB}/lib`,
  `${WEB}/ui`,
  'scripts',
  'tests',
];
const NO_ROOM = /^(node_modules|dist|test|testing)$/;
const CODE = /\.(ts|tsx|mjs)$/;
/** The folders at the root of the repository, and those of both apps' src. */
const PATH_START =
  /^(apps|docs|packages|scripts|tests|admin|bot|domain|http|platform|account|engine|features|lib|pages|shell|ui)\//;
const STEPS_MAX = 8;
const JOURNEYS = 5;

/** @returns {string[]} one line for each thing to mend */
export function checkMap(root) {
  const map = readFileSync(join(root, MAP), 'utf8');
  const page = readFileSync(join(root, PAGE), 'utf8');
  return [
    ...checkRooms(
      map,
      FLOORS.flatMap((floor) => roomsOf(root, floor)),
      root,
    ),
    ...globSync(PAGES, { cwd: root })
      .sort()
      .flatMap((path) => checkNames(path, root)),
    ...checkJourneys(page, root),
  ];
}

/** Folders of `floor` that hold code, at any depth. */
function roomsOf(root, floor) {
  if (!existsSync(join(root, floor))) return [];
  return readdirSync(join(root, floor), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_ROOM.test(entry.name))
    .map((entry) => `${floor}/${entry.name}`)
    .filter((room) => holdsCode(join(root, room)));
}

const holdsCode = (folder) =>
  readdirSync(folder, { withFileTypes: true }).some((entry) =>
    entry.isDirectory() ? !NO_ROOM.test(entry.name) && holdsCode(join(folder, entry.name)) : CODE.test(entry.name),
  );

/** A room on the map is an element with the folder in `data-room` and the folder's name as its text. */
function checkRooms(map, rooms, root) {
  const drawn = [...map.matchAll(/<(\w+)[^>]*\bdata-room="([^"]+)"[^>]*>([^<]*)<\/\1>/g)];
  const onMap = new Map(drawn.map(([, , room, label]) => [room, label.trim()]));
  const missing = rooms.filter((room) => !onMap.has(room)).map((room) => `${MAP}: ${room} is not on the map`);
  const wrong = [...onMap].flatMap(([room, label]) => {
    if (!existsSync(join(root, room))) return [`${MAP}: ${room} does not exist`];
    return room.split('/').at(-1) === label ? [] : [`${MAP}: ${room} is labelled ${label}`];
  });
  return [...missing, ...wrong];
}

/** Paths may be written without apps/server/src or apps/web/src before them. */
const findPath = (root, path) =>
  [path, `${SERVER}/${path}`, `${WEB}/${path}`].filter((candidate) => existsSync(join(root, candidate)));

const isPath = (code) => /^[\w.-]+(\/[\w.-]+)+\/?$/.test(code) && PATH_START.test(code);

const codeIn = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code);

/** What stands in backticks and begins with a folder of the code is a path, but for patterns such as `tests/e2e/forget*`. */
const pathsIn = (text) => codeIn(text).filter(isPath);

/** Pages and pictures of this repository that a page links to. */
const linksIn = (text) => [...text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, link]) => link);

function checkNames(page, root) {
  const text = readFileSync(join(root, page), 'utf8');
  const paths = pathsIn(text).flatMap((path) => {
    const found = findPath(root, path);
    if (found.length === 1) return [];
    return [`${page}: ${path} ${found.length === 0 ? 'does not exist' : `may be ${found.join(' or ')}`}`];
  });
  const links = linksIn(text).filter((link) => !existsSync(join(root, dirname(page), link)));
  return [...paths, ...links.map((link) => `${page}: ${link} does not exist`)];
}

/** A journey is a heading "Journey n: …" of the third level, and a numbered list below it. */
function journeysOf(page) {
  return page
    .split(/^### /m)
    .slice(1)
    .map((part) => part.split(/^## /m)[0])
    .filter((part) => /^Journey \d/.test(part))
    .map((part) => ({
      title: part.split('\n')[0],
      steps: part.split(/^\d+\. /m).slice(1),
    }));
}

function checkJourneys(page, root) {
  const journeys = journeysOf(page);
  const tree = readSourceTree(root);
  const lines = journeys.length === JOURNEYS ? [] : [`${PAGE}: ${journeys.length} journeys, not ${JOURNEYS}`];
  for (const { title, steps } of journeys) {
    if (steps.length > STEPS_MAX) lines.push(`${PAGE}: "${title}" has ${steps.length} steps, at most ${STEPS_MAX}`);
    const files = steps.flatMap((step, index) => {
      const file = codeIn(step)
        .flatMap((path) => findPath(root, path))
        .find((path) => tree.has(path));
      if (!file) lines.push(`${PAGE}: step ${index + 1} of "${title}" names no file of the code`);
      return file ?? [];
    });
    lines.push(...checkForward(title, files, tree));
  }
  return lines;
}

/** Forward: what comes later on a journey never imports, by however many steps, what came before. */
function checkForward(title, files, tree) {
  return files.flatMap((file, index) => {
    const reached = reachedFrom(file, tree);
    const before = files.slice(0, index).find((earlier) => reached.has(earlier));
    return before ? [`${PAGE}: "${title}" goes back: ${file} imports ${before}`] : [];
  });
}

function reachedFrom(file, tree) {
  const reached = new Set();
  const open = [file];
  while (open.length > 0) {
    for (const { target } of tree.get(open.pop())?.imports ?? []) {
      if (!target || reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}
