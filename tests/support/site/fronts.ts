import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { type Site, startSite } from './site.ts';
import { startTlsProxy } from './tls-proxy.ts';

/** The ways a client reaches Satchel in the acceptance suite. */
export interface Front {
  readonly name: string;
  start(env?: Readonly<Record<string, string>>): Promise<Site>;
}

const direct: Front = { name: 'directly', start: (env = {}) => startSite({ env }) };

function behindNginx(nginx: string): Front {
  return {
    name: 'behind nginx with TLS',
    start: async (env = {}) => {
      const port = await freePort();
      const proxy = await startTlsProxy(nginx, port);
      const site = await startSite({
        port,
        publicUrl: proxy.url,
        env: { TRUST_PROXY: '127.0.0.1/32', ...env },
      }).catch(async (error) => {
        await proxy.stop();
        throw error;
      });
      return {
        ...site,
        stop: async () => {
          await site.stop();
          await proxy.stop();
        },
      };
    },
  };
}

/** Always direct; also behind nginx if the test run found one (it reports a missing one). */
export const FRONTS: readonly Front[] = process.env.NGINX_PATH
  ? [direct, behindNginx(process.env.NGINX_PATH)]
  : [direct];
