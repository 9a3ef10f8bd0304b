import { join } from 'node:path';
import { createServer } from 'vite';
import { freePort } from '../../apps/server/test/support/free-port.ts';
import { ROOT } from '../../scripts/runtime/paths.mjs';
import { startSite } from '../support/site.ts';

/**
 * While Vitest watches, the browser tests that take a site as it is share one: the server from its sources, started again
 * before each run, and the page from Vite's development server. Other runs have sites of their own, of what was built.
 */
export async function setup(project) {
  if (!project.vitest.config.watch || process.env.SITE_DEVELOPMENT) return undefined;
  const [port, pagePort] = [await freePort(), await freePort()];
  const publicUrl = `http://127.0.0.1:${pagePort}`;
  process.env.SATCHEL_SERVER = `http://127.0.0.1:${port}`;
  process.env.PUBLIC_URL = publicUrl;
  const page = await createServer({
    root: join(ROOT, 'apps/web'),
    configFile: join(ROOT, 'apps/web/vite.config.ts'),
    logLevel: 'warn',
    server: { port: pagePort, strictPort: true },
  });
  await page.listen();
  const site = await startSite({ port, publicUrl });
  const { url, ownUrl, ownUrls, sandboxUrl, dataDir, databaseUrl } = site;
  process.env.SITE_DEVELOPMENT = JSON.stringify({ url, ownUrl, ownUrls, sandboxUrl, dataDir, databaseUrl });
  project.onTestsRerun(async () => {
    await site.kill9();
    await site.restart();
  });
  return async () => {
    await page.close();
    await site.stop();
  };
}
