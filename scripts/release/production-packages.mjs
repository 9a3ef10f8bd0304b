/**
 * The packages that workspaces load when they run, as package-lock.json places them. Workspaces among them are followed, and
 * not named.
 * @param {object} lock a parsed package-lock.json
 * @param {Record<string, string[] | undefined>} workspaces their folders, each with which of its packages; all where undefined
 * @returns {string[]} folders such as `node_modules/pg`, sorted
 */
export function productionPackages({ packages }, workspaces) {
  const found = new Set();
  const seen = new Set();
  const open = Object.keys(workspaces);
  while (open.length > 0) {
    const from = open.pop();
    for (const [name, isRequired] of neededBy(packages[from])) {
      if (workspaces[from] && !workspaces[from].includes(name)) continue;
      const path = findFrom(from, name, packages);
      if (!path && isRequired) throw new Error(`package-lock.json lacks ${name}, which ${from} needs`);
      if (!path || seen.has(path)) continue;
      const { os, cpu, link, resolved } = packages[path];
      if ((os || cpu) && !isRequired) continue;
      if (os || cpu) throw new Error(`${path} is for one platform only, and a release is for all`);
      seen.add(path);
      if (!link) found.add(path);
      open.push(link ? resolved : path);
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
export function findFrom(from, name, packages) {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (!folder) return undefined;
  }
}

const parentOf = (folder) => folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')));
