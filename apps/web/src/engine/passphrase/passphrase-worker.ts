import { derivePassphraseKey, type PassphraseRequest } from '@satchel/client/keys/derive-passphrase-key';
import { toAppError } from '@satchel/contract/errors';
import type { PassphraseReply } from './passphrase-client.ts';

/** Derives one key away from the page's thread: it takes 64 MiB and most of a second. The page ends the worker after. */

const say = (reply: PassphraseReply): void => globalThis.postMessage(reply);

globalThis.addEventListener('message', async ({ data }: MessageEvent<PassphraseRequest>) => {
  try {
    say({ type: 'derived', passphraseKey: await derivePassphraseKey(data) });
  } catch (error) {
    say({ type: 'failed', error: toAppError(error, 'key.passphrase_failed').toWire() });
  }
});
