/** Rules of size: a folder holds few sources, and a module of few lines has a reason to stand alone. */

const MAX_SOURCES = 15;
const SMALL_LINES = 30;
const TEST = /\.test\.(ts|tsx|mjs)$/;
const CODE_END = /\.(ts|tsx|mjs)$/;
const OF_RULES = 'scripts/checks/room-rules.mjs';

/** Existing exceptions. Both lists may only shrink: a folder that grows is a breach, and so is an unneeded entry. */
export const EXCEPTIONS = {
  /** Folders of more than 15 sources, and how many they hold. */
  overfull: {},
  /** Modules of fewer than 30 lines with one importer. */
  small: ['apps/web/src/engine/uploads/worker/window-shim.ts', 'apps/web/vite.texts.ts'],
};

/** @returns {{ path: string, line: number, text: string }[]} every breach of the rules of size */
export function findSizeBreaches(modules, { overfull, small } = EXCEPTIONS) {
  return [...folderBreaches(modules, overfull), ...smallBreaches(modules, small)];
}

/** A folder of many sources holds several things that have no name yet. Tests are not counted. */
function folderBreaches(modules, overfull) {
  const folders = Map.groupBy(
    [...modules.keys()].filter((path) => !TEST.test(path)),
    (path) => path.slice(0, path.lastIndexOf('/')),
  );
  const tooFull = [...folders].flatMap(([folder, [first, ...others]]) => {
    const [count, most] = [others.length + 1, overfull[folder] ?? MAX_SOURCES];
    return count > most ? [breach(first, `${folder} has ${count} sources, at most ${most}: make rooms`)] : [];
  });
  const shrunk = Object.entries(overfull).flatMap(([folder, listed]) => {
    const count = folders.get(folder)?.length ?? 0;
    if (count >= listed) return [];
    return [
      breach(
        OF_RULES,
        count > MAX_SOURCES ? `lower ${folder} to ${count}` : `${folder} has ${count} sources: unlist it`,
      ),
    ];
  });
  return [...tooFull, ...shrunk];
}

/** A short module with one importer is merged into it, unless it is an entry or has a test of its own. */
function smallBreaches(modules, small) {
  const importers = importersOf(modules);
  const found = [...modules.values()].filter((module) => isSmall(module, importers, modules)).map(({ path }) => path);
  const unlisted = found.filter((path) => !small.includes(path));
  const gone = small.filter((path) => !found.includes(path));
  return [
    ...unlisted.map((path) =>
      breach(path, `few lines, and only ${[...importers.get(path).keys()]} imports them: join the two`),
    ),
    ...gone.map((path) => breach(OF_RULES, `${path} is listed as small, and isn't any more: unlist it`)),
  ];
}

function isSmall({ path, lineCount }, importers, modules) {
  if (lineCount >= SMALL_LINES || TEST.test(path)) return false;
  const own = importers.get(path);
  // Without an importer it is an entry; one that is loaded when it is needed, or runs as a worker, is one, too.
  if (own?.size !== 1 || [...own.values()].some((isEntry) => isEntry)) return false;
  const [importer] = own.keys();
  // Joined with a module of another folder, it would lie in a room that is not its own.
  if (folderOf(importer) !== folderOf(path)) return false;
  const stem = path.replace(CODE_END, '');
  return !['ts', 'tsx', 'mjs'].some((end) => modules.has(`${stem}.test.${end}`));
}

const folderOf = (path) => path.slice(0, path.lastIndexOf('/'));

/** @returns {Map<string, Map<string, boolean>>} who imports each module, and whether as an entry. Tests of it don't count. */
function importersOf(modules) {
  const importers = new Map();
  for (const { path, imports } of modules.values()) {
    for (const { target, isWorker, isDynamic } of imports) {
      if (!modules.has(target) || (TEST.test(path) && !isForTests(target))) continue;
      const own = importers.get(target) ?? new Map();
      importers.set(target, own.set(path, (own.get(path) ?? false) || isWorker || isDynamic));
    }
  }
  return importers;
}

const isForTests = (path) => /^tests\/|\/test(ing)?\//.test(path);

const breach = (path, text) => ({ path, line: 1, text });
