// Usage: node scripts/check.mjs imports | lockfile | texts [--mend] | browsers [--mend]
import { enterRuntime } from './runtime/enter-runtime.mjs';
import { fail, ROOT } from './runtime/paths.mjs';

/** Each finds what there is to mend, in lines for people. */
const CHECKS = {
  imports: async () => (await import('./checks/check-imports.mjs')).checkImports(ROOT),
  lockfile: async () => (await import('./checks/check-lockfile.mjs')).checkLockfileOf(ROOT),
  texts: async (option) => {
    const { checkTexts, collectTexts } = await import('./checks/texts.mjs');
    return option === '--mend' ? collectTexts() : checkTexts();
  },
  browsers: async (option) =>
    (await import('./checks/browser-needs.mjs')).checkBrowserNeeds({ isMending: option === '--mend' }),
};

const [name, option] = process.argv.slice(2);
if (!Object.hasOwn(CHECKS, name ?? '')) fail(`no check "${name ?? ''}"; there are: ${Object.keys(CHECKS).join(', ')}`);
await enterRuntime(import.meta.url);
const lines = await CHECKS[name](option);
for (const line of lines) process.stderr.write(`${line}\n`);
process.stdout.write(lines.length ? `${name}: ${lines.length} to mend\n` : `${name}: in order\n`);
process.exit(lines.length ? 1 : 0);
