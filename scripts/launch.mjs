// Usage: node scripts/launch.mjs start | dev | build [--force] | admin COMMAND | bot:register | release [--runtime]
import { namesDatabase } from './launch/database-setting.mjs';
import { enterRuntime } from './runtime/enter-runtime.mjs';
import { fail, isRelease } from './runtime/paths.mjs';
import { explain } from './runtime/start-error.mjs';

/** Each runs until it ends this process. They are loaded once Node and packages are there. */
const COMMANDS = {
  start: async () => (await import('./launch/start.mjs')).startSatchel(),
  dev: async () => (await import('./launch/develop.mjs')).startDevelopment(),
  build: async (args) => (await import('./launch/build.mjs')).buildEverything({ isForced: args.includes('--force') }),
  admin: async (args) => (await import('./launch/command.mjs')).runAdmin(args),
  release: async (args) => (await import('./release/release.mjs')).makeRelease(args),
  'bot:register': async () => (await import('./launch/command.mjs')).registerBot(),
};

const [name, ...args] = process.argv.slice(2);
if (!Object.hasOwn(COMMANDS, name ?? '')) {
  fail(`no command "${name ?? ''}"; there are: ${Object.keys(COMMANDS).join(', ')}`);
}
if (isRelease() && ['dev', 'build', 'release'].includes(name)) fail(`${name} needs a checkout, and this is a release.`);
if (name === 'admin') {
  /** What an operator's command itself ends with when it can't look; `fail` takes it from here. */
  process.exitCode = 2;
  // A program may read stdout: report fetching and building on stderr.
  process.stdout.write = process.stderr.write.bind(process.stderr);
}
const needsDatabase = ['start', 'dev', 'build'].includes(name) && !namesDatabase(process.env);
try {
  await enterRuntime(import.meta.url, {
    beside: async () => needsDatabase && (await import('./postgres/binaries.mjs')).ensurePostgres(),
  });
  await COMMANDS[name](args);
} catch (error) {
  explain(error);
}
