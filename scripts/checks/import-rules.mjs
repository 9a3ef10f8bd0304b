/** Who may import which workspace. The server holds no decryption code, and that is a checked fact. */
const WORKSPACES = {
  contract: [],
  'discord-sandbox': [],
  container: ['contract'],
  client: ['contract', 'container'],
  server: ['contract'],
  web: ['contract', 'container', 'client'],
  cli: ['contract', 'container', 'client'],
  scripts: [],
  acceptance: ['contract', 'container', 'client', 'tests'],
  tests: ['contract', 'container', 'client', 'server', 'web', 'acceptance', 'discord-sandbox', 'scripts'],
};

/** What only tests may import beside that: the local Discord, which signs in any account without a password. Production
 * code never imports it; tests sign people in with it, in the same process, and check requests to and from Discord. */
const TEST_WORKSPACES = { server: ['discord-sandbox'] };

/** Lowest first: a module imports its own layer and earlier ones. Several in one entry don't import each other. */
const LAYERS = {
  server: [
    ['setting-types', 'secret-files', 'program'],
    ['config'],
    ['platform'],
    ['domain'],
    ['bot'],
    ['http', 'admin'],
    ['app'],
    ['main', 'register', 'satchel-admin'],
  ],
  web: [['lib'], ['engine', 'ui', 'locales'], ['account'], ['features'], ['pages'], ['shell'], ['main']],
  'discord-sandbox': [['schema', 'pages', 'personas', 'settings'], ['chat'], ['oauth', 'api'], ['app'], ['main']],
};

/** Rooms of a layer, in their order: a module imports its own room and earlier ones; what lies beside them, all. */
const ROOMS = {
  'server/domain': [
    'base',
    'access',
    'files',
    'accounts',
    'activity',
    'uploads',
    'discord',
    'sharing',
    'links',
    'folders',
    'removal',
    'moderation',
  ],
};

const PLACES = [
  [/^packages\/([^/]+)\//, (name) => name],
  [/^apps\/([^/]+)\//, (name) => name],
  [/^tests\/acceptance\//, () => 'acceptance'],
  [/^(tests|scripts)\//, (name) => name],
];

const BANNED_NAME = /^(utils?|helpers?|misc)$/;
const BANNED_WHOLE_NAME = /^(commons?)(\.|$)/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const TEST_ONLY = /\.test\.(ts|tsx|mjs)$|\/test-[^/]+$|\/test(ing)?\/|^tests\//;
/** A test of the whole app stands with the others of its subject, not beside a module. */
const MISPLACED_TEST = /^apps\/server\/src\/.*\.api\.test\.ts$/;

/**
 * What the engine and the client must not import, nor bring along. They run in workers and in tests without a browser, and speak in
 * states, codes and events: the features have the words.
 */
const NOT_FOR_ENGINE = [
  ['React', /^(react|react-dom|@lingui\/react|@tanstack\/react-[a-z]+)(\/|$)/],
  ['texts', /^@lingui\/(?!react)|^apps\/web\/src\/(lib\/texts|locales)\//],
  ['toasts or announcements', /^apps\/web\/src\/lib\/base\/(toast|announce)\.ts$/],
];
const WORKER = /-worker\.ts$/;

/** @returns {{ path: string, line: number, text: string }[]} every breach of the rules, in the order of the files */
export function findBreaches(modules) {
  const breaches = [];
  const breach = (module, line, text) => breaches.push({ path: module.path, line, text });
  for (const module of modules.values()) {
    checkFile(module, breach);
    checkEngine(module, modules, breach);
    for (const edge of module.imports) {
      if (edge.target) checkImport(module, edge, modules, breach);
    }
  }
  for (const cycle of findCycles(modules)) {
    breach(modules.get(cycle[0]), 1, `cycle: ${[...cycle, cycle[0]].join(' → ')}`);
  }
  return breaches;
}

function checkFile(module, breach) {
  const segments = module.path.split('/');
  const name = segments.at(-1);
  if (module.syntaxError) breach(module, 1, `can't be parsed: ${module.syntaxError}`);
  if (!KEBAB.test(name)) breach(module, 1, 'file names are kebab-case');
  if (/^index\.[a-z]+$/.test(name)) breach(module, 1, 'no index files: import the module that has it');
  else if (module.isBarrel) breach(module, 1, 'barrel: it only passes on what others export');
  const isBanned = (segment) =>
    BANNED_WHOLE_NAME.test(segment) || segment.split(/[.-]/).some((word) => BANNED_NAME.test(word));
  if (segments.some(isBanned)) {
    breach(module, 1, 'utils, helpers, misc and common say nothing: name it after what it does');
  }
  if (module.defaultExportLine && !/\.config\.[a-z]+$/.test(name)) {
    breach(module, module.defaultExportLine, 'named exports only');
  }
  if (MISPLACED_TEST.test(module.path)) breach(module, 1, 'a test of the whole app belongs into apps/server/test');
  const place = placeOf(module.path);
  if (place.workspace === 'server' && place.layer !== 'config' && !isTestOnly(module.path) && module.envLine) {
    breach(module, module.envLine, 'only config.ts reads process.env');
  }
  if (LAYERS[place.workspace] && place.layer !== undefined && place.rank < 0 && !isTestOnly(module.path)) {
    breach(module, 1, `${place.layer} is no layer of the ${place.workspace}`);
  }
  if (place.rooms && place.room !== undefined && place.roomRank < 0 && !isTestOnly(module.path)) {
    breach(module, 1, `${place.room} is no room of ${place.workspace}/${place.layer}`);
  }
}

function checkEngine(module, modules, breach) {
  const { workspace, layer } = placeOf(module.path);
  const isEngine = workspace === 'web' && layer === 'engine';
  if ((!isEngine && workspace !== 'client') || isTestOnly(module.path)) return;
  const room = isEngine ? 'engine' : 'client';
  if (module.path.endsWith('.tsx')) breach(module, 1, `${room} has no components`);
  for (const [what, pattern] of NOT_FOR_ENGINE) {
    for (const edge of module.imports) {
      const { specifier, line } = edge;
      const bringer = edge.isWorker ? undefined : bringerOf(pattern, edge.target, modules);
      if (isImportOf(pattern, edge)) breach(module, line, `${room} must not import ${what} (${specifier})`);
      else if (bringer) breach(module, line, `${room} must not import ${what} (${specifier}, by way of ${bringer})`);
    }
  }
}

const isImportOf = (pattern, { specifier, target }) => pattern.test(target ?? specifier);

/** The first module on the way from `path` that imports what the pattern names. */
function bringerOf(pattern, path, modules, seen = new Set()) {
  if (seen.has(path) || !modules.has(path)) return undefined;
  seen.add(path);
  const { imports } = modules.get(path);
  if (imports.some((edge) => isImportOf(pattern, edge))) return path;
  for (const { target, isWorker } of imports) {
    const bringer = isWorker ? undefined : bringerOf(pattern, target, modules, seen);
    if (bringer) return bringer;
  }
  return undefined;
}

function checkImport(module, { specifier, target, line, isWorker }, modules, breach) {
  const from = placeOf(module.path);
  const to = placeOf(target);
  const isAsset = !/\.(ts|tsx|mjs)$/.test(target);
  if (!isAsset && !modules.has(target)) return breach(module, line, `${specifier} doesn't exist`);
  if (isAsset && isTestOnly(module.path)) return;
  if (!isTestOnly(module.path) && isTestOnly(target)) return breach(module, line, `${specifier} is only for tests`);
  if (from.workspace !== to.workspace) return checkWorkspaces(module, from, to, { specifier, line }, breach);
  if (specifier.startsWith('@')) breach(module, line, `${specifier} is this very package: import it relatively`);
  // Starting a worker isn't importing it: it runs elsewhere, and what crosses is messages.
  if (isWorker && WORKER.test(target)) return;
  if (isTestOnly(module.path) || from.rank === undefined || isAsset) return;
  if (WORKER.test(target)) return breach(module, line, `${specifier} is a worker: start it by its address`);
  checkLayers(module, from, to, { specifier, line }, breach);
}

function checkWorkspaces(module, from, to, { specifier, line }, breach) {
  if (isTestOnly(module.path) && TEST_WORKSPACES[from.workspace]?.includes(to.workspace)) return;
  if (!WORKSPACES[from.workspace]?.includes(to.workspace)) {
    return breach(module, line, `${from.workspace} must not import ${to.workspace} (${specifier})`);
  }
  const isInsideTests = from.workspace === 'acceptance' || from.workspace === 'tests';
  if (specifier.startsWith('.') && !isInsideTests) {
    breach(module, line, `import @satchel/${to.workspace} by its name, not by ${specifier}`);
  }
}

function checkLayers(module, from, to, { specifier, line }, breach) {
  if (to.rank > from.rank) {
    return breach(module, line, `${from.layer} must not import ${to.layer} (${specifier})`);
  }
  if (to.rank === from.rank && to.layer !== from.layer) {
    return breach(module, line, `${from.layer} and ${to.layer} must not import each other (${specifier})`);
  }
  if (from.rooms && from.layer === to.layer && roomOrder(to) > roomOrder(from)) {
    return breach(module, line, `room ${from.room} must not import room ${to.room ?? to.layer} (${specifier})`);
  }
  if (from.feature && to.feature && from.feature !== to.feature) {
    breach(module, line, `feature ${from.feature} must not import feature ${to.feature} (${specifier})`);
  }
}

/** A module beside the rooms comes after all of them. */
const roomOrder = ({ rooms, room, roomRank }) => (room === undefined ? rooms.length : roomRank);

const isTestOnly = (path) => TEST_ONLY.test(path);

function placeOf(path) {
  for (const [pattern, workspaceOf] of PLACES) {
    const match = pattern.exec(path);
    if (match) return { workspace: workspaceOf(match[1]), ...layerOf(path, workspaceOf(match[1])) };
  }
  return { workspace: path.split('/')[0] };
}

/** A layer is a folder of src, or a module right in it. */
function layerOf(path, workspace) {
  const layers = LAYERS[workspace];
  const [, , src, first, ...rest] = path.split('/');
  if (!layers || src !== 'src' || !first) return {};
  const layer = first.replace(/\..*$/, '');
  const rank = layers.findIndex((names) => names.includes(layer));
  const rooms = ROOMS[`${workspace}/${layer}`];
  const room = rooms && rest.length > 1 ? rest[0] : undefined;
  const feature = layer === 'features' ? rest[0] : undefined;
  return { layer, rank, feature, rooms, room, roomRank: rooms?.indexOf(room) };
}

/** Tarjan's strongly connected components; one of more than one module, or one that imports itself, is a cycle. */
function findCycles(modules) {
  const order = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const targetsOf = (path) => modules.get(path).imports.flatMap(({ target, isWorker }) => (isWorker ? [] : [target]));

  const visit = (path) => {
    order.set(path, order.size);
    low.set(path, order.get(path));
    stack.push(path);
    for (const target of targetsOf(path)) {
      if (!modules.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) low.set(path, Math.min(low.get(path), low.get(target)));
    }
    if (low.get(path) !== order.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1 || targetsOf(path).includes(path)) cycles.push(component);
  };
  for (const path of modules.keys()) {
    if (!order.has(path)) visit(path);
  }
  return cycles;
}
