import contentWorker from './files/content/content-worker.ts?worker&url';
import openWorker from './files/open/open-worker.ts?worker&url';
import openingWorker from './media/opening/opening-worker.ts?worker&url';
import passphraseWorker from './passphrase/passphrase-worker.ts?worker&url';
import stillWorker from './uploads/stills/still-worker.ts?worker&url';
import uploadWorker from './uploads/worker/upload-worker.ts?worker&url';

/**
 * Addresses of the scripts that this page starts beside itself. The CSP has `require-trusted-types-for 'script'`, so a
 * worker takes its address only from this policy, and the policy passes these seven addresses and no other.
 */

/** The address of a service worker never changes. */
const MEDIA_WORKER = '/sw.js';
/** Named in the `trusted-types` directive of apps/server/src/http/web/web.ts and of vite.config.ts. */
const POLICY_NAME = 'satchel-workers';

const ADDRESSES = {
  content: contentWorker,
  open: openWorker,
  opening: openingWorker,
  passphrase: passphraseWorker,
  still: stillWorker,
  upload: uploadWorker,
  media: MEDIA_WORKER,
};

export type WorkerName = keyof typeof ADDRESSES;

/** What this module uses of Trusted Types, which TypeScript's DOM library lacks. */
export interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): {
    createScriptURL: (address: string) => unknown;
  };
}

/** Passes the addresses of our workers. @throws TypeError for any other address */
export function checkWorkerAddress(address: string): string {
  if (!Object.values(ADDRESSES).includes(address)) throw new TypeError(`${address} is no worker of this page`);
  return address;
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
/** Browsers without Trusted Types take the text itself. */
const policy = trustedTypes?.createPolicy(POLICY_NAME, { createScriptURL: checkWorkerAddress });

/** The address of a worker in the form that the browser takes: text by its type, a TrustedScriptURL where there is one. */
export function workerAddress(name: WorkerName): string {
  const address = ADDRESSES[name];
  return policy ? (policy.createScriptURL(address) as string) : checkWorkerAddress(address);
}

/** Starts a worker of ours. */
export const newWorker = (name: Exclude<WorkerName, 'media'>): Worker =>
  new Worker(workerAddress(name), { type: 'module' });
