import { expect, test, vi } from 'vitest';
import { deliver } from './media-client.ts';
import type { Offer } from './media-protocol.ts';
import { cancelDelivery, offerEntry } from './media-worker.ts';
import { saveNavigating } from './save-link.ts';

vi.mock('./media-worker.ts');
vi.mock('./save-link.ts');

test('what is given up while the worker takes it in is cancelled there, and no download begins', async () => {
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
