/** Part of the server's bundle, and so not needed beside it. */
const BUNDLED = /^(drizzle-orm$|@satchel\/)/;

/**
 * The packages that workspaces load when they run, as package-lock.json places them.
 * @param {object} lock a parsed package-lock.json
 * @param {string[]} workspaces their folders
 * @returns {string[]} folders such as `node_modules/pg`, sorted
 */
export function productionPackages({ packages }, workspaces) {
  const found = new Set();
  const open = [...workspaces];
  while (open.length > 0) {
    const from = open.pop();
    for (const [name, isRequired] of neededBy(packages[from])) {
      if (BUNDLED.test(name)) continue;
      const path = findFrom(from, name, packages);
      if (!path && isRequired) throw new Error(`package-lock.json lacks ${name}, which ${from} needs`);
      if (!path || found.has(path)) continue;
      const { os, cpu } = packages[path];
      if ((os || cpu) && !isRequired) continue;
      if (os || cpu) throw new Error(`${path} is for one platform only, and a release is for all`);
      found.add(path);
      open.push(path);
    }
  }
  return [...found].sort();
}

/** @returns {[name: string, isRequired: boolean][]} */
function neededBy({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  return [
    ...Object.keys(dependencies).map((name) => [name, !(name in optionalDependencies)]),
    ...Object.keys(optionalDependencies).map((name) => [name, false]),
    ...Object.keys(peerDependencies)
      .filter((name) => !peerDependenciesMeta[name]?.optional)
      .map((name) => [name, true]),
  ];
}

/** As Node looks a package up: below the one that asks, then below those around it. */
function findFrom(from, name, packages) {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (!folder) return undefined;
  }
}

const parentOf = (folder) => folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
