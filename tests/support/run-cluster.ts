import { startGateway } from '../../apps/server/test/support/blobs/gateway.ts';
import { type Site, startSite } from './site.ts';

/** `npm run cluster`: a whole site of several nodes on this machine, for trying out, until Ctrl-C. */

const PORT = Number(process.env.PORT ?? 3000);
const SANDBOX_PORT = Number(process.env.SANDBOX_PORT ?? 3001);

const asked = Promise.withResolvers<void>();
let isAsked = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isAsked = true;
    asked.resolve();
  });
}

/** Ctrl-C ends what is just starting, too; then there is nothing to explain. */
function explain(error: unknown): null {
  if (!isAsked) process.stderr.write(`satchel: ${error instanceof Error ? error.message : String(error)}\n`);
  return null;
}

async function serve({ url, sandboxUrl, dataDir, stop }: Site, blobs: string): Promise<void> {
  const kills = process.env.SITE_KILLS_EVERY ? `, one of them killed every ${process.env.SITE_KILLS_EVERY} s` : '';
  process.stdout.write(`
${process.env.SITE_NODES} nodes, a key service and nginx are up${kills}:
  Satchel      ${url}
  the sandbox  ${sandboxUrl}/chat?as=mika&as=jonas
  blobs        ${blobs}
  data         ${dataDir}, removed at the end
Ctrl-C ends all of it.
`);
  await asked.promise;
  await stop();
}

const gateway = process.env.SITE_BLOBS === 'directory' ? null : await startGateway().catch(explain);
if (gateway) Object.assign(process.env, { SITE_BLOBS: 's3', TEST_S3_ENDPOINT: gateway.endpoint });
const site = isAsked ? null : await startSite({ port: PORT, sandboxPort: SANDBOX_PORT, hasBot: true }).catch(explain);
if (site) await serve(site, gateway ? `in S3 at ${gateway.endpoint}` : 'in a directory of all nodes');
await gateway?.stop();
process.exit(site || isAsked ? 0 : 1);
