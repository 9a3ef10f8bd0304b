/** Who may import which workspace (DESIGN §3). The server holds no decryption code, and that is a checked fact. */
const WORKSPACES = {
  contract: [],
  'discord-schema': [],
  container: ['contract'],
  server: ['contract'],
  web: ['contract', 'container'],
  sandbox: ['contract'],
  scripts: [],
  acceptance: ['contract', 'container', 'tests', 'discord-schema'],
  tests: ['contract', 'container', 'server', 'web', 'sandbox', 'acceptance', 'discord-schema'],
};

/** What only tests may import beside that: the sandbox signs people in for them, in the same process; the check of what
 * goes to Discord and comes from it is never a part of anything that runs. */
const TEST_WORKSPACES = { server: ['sandbox', 'discord-schema'], sandbox: ['discord-schema'] };

/** Lowest first: a module imports its own layer and those before it. Several in one entry don't import each other. */
const LAYERS = {
  server: [['config'], ['platform'], ['domain'], ['bot'], ['http', 'admin'], ['app'], ['main', 'register', 'satchel']],
  web: [['lib'], ['ui', 'workers', 'locales'], ['features'], ['pages'], ['app'], ['main']],
};

const PLACES = [
  [/^packages\/([^/]+)\//, (name) => name],
  [/^apps\/([^/]+)\//, (name) => name],
  [/^tests\/acceptance\//, () => 'acceptance'],
  [/^(tests|scripts)\//, (name) => name],
];

const BANNED_NAME = /^(utils?|helpers?|misc)$/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const TEST_ONLY = /\.test\.(ts|tsx|mjs)$|\/test-[^/]+$|\/testing\/|^tests\//;
const MAX_LINES = 400;

/** @returns {{ path: string, line: number, text: string }[]} every breach of the rules, in the order of the files */
export function findBreaches(modules) {
  const breaches = [];
  const breach = (module, line, text) => breaches.push({ path: module.path, line, text });
  for (const module of modules.values()) {
    checkFile(module, breach);
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
  if (module.lineCount > MAX_LINES) breach(module, MAX_LINES + 1, `${module.lineCount} lines, at most ${MAX_LINES}`);
  if (!KEBAB.test(name)) breach(module, 1, 'file names are kebab-case');
  if (/^index\.[a-z]+$/.test(name)) breach(module, 1, 'no index files: import the module that has it');
  else if (module.isBarrel) breach(module, 1, 'barrel: it only passes on what others export');
  if (segments.some((segment) => segment.split(/[.-]/).some((word) => BANNED_NAME.test(word)))) {
    breach(module, 1, 'utils, helpers and misc say nothing: name it after what it does');
  }
  if (module.defaultExportLine && !/\.config\.[a-z]+$/.test(name)) {
    breach(module, module.defaultExportLine, 'named exports only');
  }
  const place = placeOf(module.path);
  if (place.workspace === 'server' && place.layer !== 'config' && !isTestOnly(module.path) && module.envLine) {
    breach(module, module.envLine, 'only config.ts reads process.env');
  }
  if (LAYERS[place.workspace] && place.layer !== undefined && place.rank < 0 && !isTestOnly(module.path)) {
    breach(module, 1, `${place.layer} is no layer of the ${place.workspace}`);
  }
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
  if (isWorker && to.layer === 'workers') return;
  if (isTestOnly(module.path) || from.rank === undefined || isAsset) return;
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
  if (from.feature && to.feature && from.feature !== to.feature) {
    breach(module, line, `feature ${from.feature} must not import feature ${to.feature} (${specifier})`);
  }
}

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
  return { layer, rank, feature: layer === 'features' ? rest[0] : undefined };
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
