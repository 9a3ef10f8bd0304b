import type { PassphraseRequest } from '@satchel/client/keys/derive-passphrase-key';
import { AppError } from '@satchel/contract/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import { createPassphraseClient, type PassphraseReply } from './passphrase-client.ts';

/** A worker that does as it is told, and remembers whether it was ended. */
class FakeWorker {
  onmessage: ((event: MessageEvent<PassphraseReply>) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  told: PassphraseRequest[] = [];
  isEnded = false;
  postMessage(request: PassphraseRequest) {
    this.told.push(request);
  }
  reply(data: PassphraseReply) {
    this.onmessage?.(new MessageEvent('message', { data }));
  }
  terminate() {
    this.isEnded = true;
  }
}

const request: PassphraseRequest = { passphrase: 'blue heron', secret: new Uint8Array(32) };
let worker: FakeWorker;
let derive: ReturnType<typeof createPassphraseClient>;

beforeEach(() => {
  worker = new FakeWorker();
  derive = createPassphraseClient(() => worker as unknown as Worker);
});

describe('a passphrase worker', () => {
  test('is ended once it has answered: nothing of the passphrase stays behind', async () => {
    const derived = derive(request);
    const passphraseKey = new Uint8Array(32).fill(7);
    worker.reply({ type: 'derived', passphraseKey });
    expect(await derived).toEqual(passphraseKey);
    expect([worker.told, worker.isEnded]).toEqual([[request], true]);
  });

  test('that is out of memory says so', async () => {
    const derived = derive(request);
    worker.reply({ type: 'failed', error: new AppError('key.passphrase_failed').toWire() });
    await expect(derived).rejects.toMatchObject({ code: 'key.passphrase_failed' });
    expect(worker.isEnded).toBe(true);
  });

  test('whose code can’t be fetched says so', async () => {
    const derived = derive(request);
    worker.onerror?.(new Event('error', { cancelable: true }));
    await expect(derived).rejects.toMatchObject({ code: 'key.passphrase_failed' });
    expect(worker.isEnded).toBe(true);
  });

  test('that the browser does not allow says so', async () => {
    const forbidden = createPassphraseClient(() => {
      throw new DOMException('no workers here', 'SecurityError');
    });
    await expect(forbidden(request)).rejects.toMatchObject({ code: 'key.passphrase_failed' });
  });

  test('is ended when the person gives up', async () => {
    const controller = new AbortController();
    const derived = derive(request, controller.signal);
    controller.abort();
    await expect(derived).rejects.toMatchObject({ name: 'AbortError' });
    expect(worker.isEnded).toBe(true);
  });
});
