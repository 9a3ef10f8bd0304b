import { type DerivePassphraseKey, derivePassphraseKey } from '../keys/derive-passphrase-key.ts';

/** The real derivation, which takes a third of a second of a processor: once for each link and passphrase. */

const derived = new Map<string, ReturnType<DerivePassphraseKey>>();

export const deriveOnce: DerivePassphraseKey = async ({ passphrase, secret }) => {
  const name = `${Buffer.from(secret).toString('hex')} ${passphrase}`;
  const deriving = derived.get(name) ?? derivePassphraseKey({ passphrase, secret });
  derived.set(name, deriving);
  // Each caller gets bytes of its own.
  return (await deriving).slice();
};
