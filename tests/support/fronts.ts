import { freePort } from '../../apps/server/test/support/free-port.ts';
import { startCaddy, startTlsProxy, type TlsProxy } from './proxies.ts';
import { type Site, startSite } from './site.ts';

/** The ways a client reaches Satchel in the acceptance suite. */
export interface Front {
  readonly name: string;
  /** Whether WebSockets get through. */
  readonly passesUpgrades: boolean;
  start(env?: Readonly<Record<string, string>>): Promise<Site>;
}

const direct: Front = { name: 'directly', passesUpgrades: true, start: (env = {}) => startSite({ env }) };

function behind(name: string, passesUpgrades: boolean, startProxy: (port: number) => Promise<TlsProxy>): Front {
  return {
    name,
    passesUpgrades,
    start: async (env = {}) => {
      const port = await freePort();
      const proxy = await startProxy(port);
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

const { NGINX_PATH: nginx, CADDY_PATH: caddy } = process.env;

/** Always direct; also behind nginx if the test run found one (it reports a missing one), and Caddy where CADDY_PATH names one. */
export const FRONTS: readonly Front[] = [
  direct,
  ...(nginx ? [behind('behind nginx with TLS', true, (port) => startTlsProxy(nginx, port))] : []),
  ...(caddy ? [behind('behind Caddy with TLS', true, (port) => startCaddy(caddy, port))] : []),
];

/** For the upload socket, also a proxy that was not told of WebSockets. */
export const SOCKET_FRONTS: readonly Front[] = [
  ...FRONTS,
  ...(nginx
    ? [behind('behind nginx that keeps WebSockets out', false, (port) => startTlsProxy(nginx, port, false))]
    : []),
];
