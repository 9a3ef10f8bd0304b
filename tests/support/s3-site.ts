import { createFaultProxy, type FaultProxy } from '../../apps/server/test/support/blobs/fault-proxy.ts';
import { allowPages, bucketEnv, startGateway } from '../../apps/server/test/support/blobs/gateway.ts';
import { type Site, type SiteOptions, startSite } from './site.ts';

/** One server whose files lie in its own bucket. */
export interface S3Site extends Site {
  /** The line between server and store. */
  readonly line: FaultProxy;
  /** Lets pages of that origin, and of no other, read from the bucket. */
  allowPages(origin: string): Promise<void>;
}

/** @returns how such a site is started, and how what it needs ends; null, with a line that says so, where there is no gateway */
export async function createS3Sites() {
  const gateway = await startGateway();
  if (!gateway) return null;
  return {
    async start(options: SiteOptions = {}): Promise<S3Site> {
      const line = await createFaultProxy(gateway.endpoint);
      const bucket = await gateway.bucket();
      // Before the start, which asks for it.
      if (options.env?.BLOBS_DIRECT) await allowPages(bucket, '*');
      const store = bucketEnv({ ...bucket, endpoint: line.endpoint });
      const env = { ...store, SESSION_SECRET: 'what the node of this site signs with', ...options.env };
      const site = await startSite({ ...options, env, hasOneServer: true });
      const stop = async () => {
        await site.stop();
        await line.close();
      };
      return { ...site, line, allowPages: (origin) => allowPages(bucket, origin), stop };
    },
    stop: gateway.stop,
  };
}
