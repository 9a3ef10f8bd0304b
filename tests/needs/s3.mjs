import { startGateway } from '../../apps/server/test/support/blobs/gateway.ts';
import { aptInstall, findProgram } from '../../scripts/runtime/programs.mjs';
import { leaveOut } from '../../scripts/tests/left-out.mjs';

const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw'];

/** One S3 gateway for all tests of a run: TEST_S3_ENDPOINT's, or Ceph's with its objects in memory. */
export async function setup() {
  if (process.env.TEST_S3_ENDPOINT) return undefined;
  if (!findProgram(['radosgw'])) PACKAGES.every((name) => aptInstall(name));
  const gateway = await startGateway();
  if (!gateway) {
    leaveOut(`S3: there is no gateway, and ${PACKAGES.join(', ')} could not be installed`);
    return undefined;
  }
  process.env.TEST_S3_ENDPOINT = gateway.endpoint;
  return gateway.stop;
}
