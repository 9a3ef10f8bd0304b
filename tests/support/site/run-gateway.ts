import { startGateway } from '../../../apps/server/test/support/blobs/gateway.ts';

/** The S3 gateway of a run of tests, until SIGTERM. Prints its address once it answers; ends at once where there is none. */

const gateway = await startGateway();
if (gateway) {
  process.stdout.write(`S3 at ${gateway.endpoint}\n`);
  await new Promise((resolve) => process.once('SIGTERM', resolve));
  await gateway.stop();
}
process.exit(gateway ? 0 : 1);
