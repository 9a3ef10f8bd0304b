// Usage: node scripts/check.mjs imports | map | lockfile | actions | deploy | monitoring | trial | texts [--mend] | commits
import { enterRuntime } from './runtime/enter-runtime.mjs';
import { fail, ROOT } from './runtime/paths.mjs';

/** Each finds what there is to mend, in lines for people. */
const CHECKS = {
  imports: async () => (await import('./checks/check-imports.mjs')).checkImports(ROOT),
  map: async () => (await import('./checks/check-map.mjs')).checkMap(ROOT),
  lockfile: async () => (await import('./checks/check-lockfile.mjs')).checkLockfileOf(ROOT),
  actions: async () => (await import('./checks/check-actions.mjs')).checkWorkflows(ROOT),
  deploy: async () => (await import('./checks/check-deploy.mjs')).checkDeploy(ROOT),
  monitoring: async () => (await import('./checks/check-monitoring.mjs')).checkMonitoring(ROOT),
  trial: async () => (await import('./checks/check-trial.mjs')).checkTrial(ROOT),
  texts: async (option) => {
    const { checkTexts, collectTexts } = await import('./checks/texts.mjs');
    return option === '--mend' ? collectTexts() : checkTexts();
  },
  commits: async () => (await import('./checks/check-commits.mjs')).checkCommits(ROOT),
};

const [name, option] = process.argv.slice(2);
if (!Object.hasOwn(CHECKS, name ?? '')) fail(`no check "${name ?? ''}"; there are: ${Object.keys(CHECKS).join(', ')}`);
await enterRuntime(import.meta.url);
const lines = await CHECKS[name](option);
for (const line of lines) process.stderr.write(`${line}\n`);
process.stdout.write(lines.length ? `${name}: ${lines.length} to mend\n` : `${name}: in order\n`);
process.exit(lines.length ? 1 : 0);
