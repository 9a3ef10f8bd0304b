import { startSite } from './site.ts';

/** `npm run cluster`: a whole site of several nodes on this machine, for trying out, until Ctrl-C. */

const PORT = Number(process.env.PORT ?? 3000);
const SANDBOX_PORT = Number(process.env.SANDBOX_PORT ?? 3001);

const asked = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => asked.resolve());

const site = await startSite({ port: PORT, sandboxPort: SANDBOX_PORT, hasBot: true });
const kills = process.env.SITE_KILLS_EVERY ? `, one of them killed every ${process.env.SITE_KILLS_EVERY} s` : '';
process.stdout.write(`
${process.env.SITE_NODES} nodes, a key service and nginx are up${kills}:
  Satchel      ${site.url}
  the sandbox  ${site.sandboxUrl}/chat?as=mika&as=jonas
  data         ${site.dataDir}, removed at the end
Ctrl-C ends all of it.
`);
await asked.promise;
await site.stop();
