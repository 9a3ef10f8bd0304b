import { describe, test } from 'vitest';
import { atEnd } from '../at-end.ts';
import { type Gateway, startGateway } from './gateway.ts';

/**
 * Describes what a real S3 gateway does: the run's (TEST_S3_ENDPOINT), or one of this file's own. Where its programs are not
 * installed, the report has one skipped test with the reason.
 */
export async function describeS3(name: string, tests: (gateway: Gateway) => Promise<void>): Promise<void> {
  const gateway = await startGateway();
  if (gateway) {
    atEnd(gateway.stop);
    describe(name, () => tests(gateway));
  } else {
    describe(name, () => {
      test('needs a gateway', ({ skip }) => skip('radosgw, ceph-mon or ceph-osd is not installed'));
    });
  }
}
