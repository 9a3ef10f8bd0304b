import { freePort } from '../../../apps/server/test/support/free-port.ts';
import { type Site, startSite } from './site.ts';
import { startTlsProxy } from './tls-proxy.ts';

/** The ways a client reaches Satchel in the acceptance suite. */
export interface Front {
  readonly name: string;
  /** Whether WebSockets get through. */
  readonly passesUpgrades: boolean;
  start(env?: Readonly<Record<string, string>>): Promise<Site>;
}

const direct: Front = { name: 'directly', passesUpgrades: true, start: (env = {}) => startSite({ env }) };

function behindNginx(nginx: string, passesUpgrades: boolean): Front {
  return {
    name: passesUpgrades ? 'behind nginx with TLS' : 'behind nginx that keeps WebSockets out',
    passesUpgrades,
    start: async (env = {}) => {
      const port = await freePort();
      const proxy = await startTlsProxy(nginx, port, passesUpgrades);
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
  ? [direct, behindNginx(process.env.NGINX_PATH, true)]
  : [direct];

/** For the upload socket, also a proxy that was not told of WebSockets. */
export const SOCKET_FRONTS: readonly Front[] = process.env.NGINX_PATH
  ? [...FRONTS, behindNginx(process.env.NGINX_PATH, false)]
  : FRONTS;
