import { expect, test, vi } from 'vitest';
import { saveNavigating } from '../../lib/browser/save-link.ts';
import { deliver } from './media-client.ts';
import type { Offer } from './media-protocol.ts';
import { cancelDelivery, offerEntry } from './service-worker-link.ts';

vi.mock('./service-worker-link.ts');
vi.mock('../../lib/browser/save-link.ts');

test('a download given up while the worker accepts it is cancelled there, and never begins', async () => {
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  const control = new AbortController();
  vi.mocked(offerEntry).mockImplementation(async () => {
    control.abort(new Error('given up'));
    return 'one';
  });
  const zip = { name: 'all.zip', files: [] } as Offer;
  await expect(deliver({} as ServiceWorker, zip, { signal: control.signal })).rejects.toThrow('given up');
  expect(cancelDelivery).toHaveBeenCalledExactlyOnceWith('one');
  expect(saveNavigating).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});
