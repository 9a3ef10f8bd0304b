import { join } from 'node:path';
import { onStopRequest } from '../runtime/children.mjs';
import { ROOT } from '../runtime/paths.mjs';
import { requireBuild, runBesidePostgres } from './beside-postgres.mjs';
import { ensureNginx } from './browser-and-proxy.mjs';
import { startGroup } from './process-group.mjs';

const NODES = 3;

/**
 * `npm run cluster [-- NODES [SECONDS]]`: a site of several nodes on this machine (tests/support/site), until Ctrl-C. With
 * seconds, one of the nodes is killed so often.
 */
export async function runCluster([nodes = String(NODES), killEverySeconds]) {
  await requireBuild();
  const nginx = ensureNginx();
  if (!nginx) process.exit(1);
  const env = { NGINX_PATH: nginx, SITE_NODES: nodes, ...(killEverySeconds && { SITE_KILLS_EVERY: killEverySeconds }) };
  await runBesidePostgres([join(ROOT, 'tests/support/run-cluster.ts')], { env, stopCode: 0 });
}

const IN_BROWSER = ['--project=journeys', '--project=e2e'];

/** What people mostly do, in the browser; the other files look at the page, which is the same before any site. */
const JOURNEYS = [
  'tests/journeys/',
  'upload-disruptions',
  'uploads-across-pages',
  'directories',
  'live-folder',
  'share',
  'settings',
  'stills',
  'viewer',
  'opening-worker',
  'epochs',
  'keys',
];
/** Its exact figures: a killed node takes the visits and downloads of its last second with it (docs/decisions/028). */
const NOT_WITH_KILLS = 'activity';
/** What reads bytes of files, or opens links to them. */
const READING = ['main-job', 'film', 'viewer', 'share'];

/** Arguments of Vitest for each part. */
const PARTS = { acceptance: ['--project=acceptance'], browser: [...IN_BROWSER, ...JOURNEYS, NOT_WITH_KILLS] };
const THREE_NODES = { SITE_NODES: '3', SITE_BLOBS: 's3' };

/** What every site of a run is (tests/support/site.ts), beside the one process on a disk of `npm test`, and what runs on it. */
const SITES = {
  s3: { env: { SITE_NODES: '1', SITE_BLOBS: 's3' }, parts: PARTS },
  nodes: { env: THREE_NODES, parts: PARTS },
  kills: {
    env: { ...THREE_NODES, SITE_KILLS_EVERY: '10' },
    parts: { ...PARTS, browser: [...IN_BROWSER, ...JOURNEYS] },
  },
  usercontent: { env: { SITE_USERCONTENT: '1' }, parts: { browser: [...IN_BROWSER, ...READING] } },
};

/**
 * `npm run test:sites [-- s3|nodes|kills|usercontent [acceptance|browser [name …]]]`: acceptance tests and journeys of the browser
 * on sites of one node with its files in S3, of three, and of three of which one is killed every ten seconds; and journeys of
 * the browser where the bytes of files come from their own origin. One run after the other.
 */
export async function runOnSites([site, part, ...names]) {
  for (const [given, known] of [
    [site, SITES],
    [part, SITES[site]?.parts ?? PARTS],
  ]) {
    if (given === undefined || given in known) continue;
    process.stderr.write(`satchel: no "${given}"; there are: ${Object.keys(known).join(', ')}\n`);
    process.exit(1);
  }
  let running;
  let isOver = false;
  onStopRequest(async () => {
    isOver = true;
    await running?.stop();
    process.exit(130);
  });
  const failed = [];
  for (const [kind, { env, parts }] of Object.entries(SITES).filter(([kind]) => !site || kind === site)) {
    for (const [suite, args] of Object.entries(parts).filter(([suite]) => !part || suite === part)) {
      if (isOver) return;
      process.stdout.write(`\n━━ ${suite} on sites of kind "${kind}"\n`);
      const options = names.length > 0 ? [...args.filter((arg) => arg.startsWith('--')), ...names] : args;
      running = startGroup([join(ROOT, 'scripts/test.mjs'), ...options], env);
      if ((await running.exited) !== 0) failed.push(`${suite} on ${kind}`);
    }
  }
  process.stdout.write(failed.length === 0 ? '\nall of them passed\n' : `\nfailed: ${failed.join(', ')}\n`);
  process.exit(failed.length === 0 ? 0 : 1);
}
