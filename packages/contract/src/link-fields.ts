import { z } from 'zod';
import { AppError } from './errors.ts';
import { KEYRING_MAX_KEYS } from './limits.ts';

/** The parts of a link in requests and answers (docs/container.md §3). */

/** 32 bytes as base64url without padding. */
export const Base64Url32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
/**
 * nonce12 | AES-256-GCM(keyring) as base64url (docs/container.md §3, §6): 127 characters with one folder key, 1,407 with
 * sixteen.
 */
export const SealedKey = z.string().regex(/^[A-Za-z0-9_-]{127,1407}$/);
/** A folder key in hex, lower-case as the server keeps it. */
export const KEY_PATTERN = /^[0-9a-f]{128}$/;
const hexCharactersIn = (text: unknown): number => String(text).replace(/[^0-9a-f]/g, '').length;
/** Its refusal has a specified text. */
export const EncryptionKey = z.string().regex(KEY_PATTERN, {
  error: ({ input }) => new AppError('key.bad_length', { length: hexCharactersIn(input) }).message,
});
/** Earlier keys of a folder whose key was deposited, for files that were sealed under them (docs/container.md §6). */
export const EarlierKeys = z.array(EncryptionKey).max(KEYRING_MAX_KEYS - 1);

/** What a private link gives to the server (docs/container.md §3). Without the link's secret it opens nothing. */
export const PRIVATE_LINK_FIELDS = {
  sealed_key: SealedKey.nullish(),
  key_share: Base64Url32.nullish(),
  /** Whether `sealed_key` needs a passphrase, too. */
  passphrase: z.boolean().nullish(),
  /** SHA-256 of the proof of the passphrase, base64url. */
  proof_hash: Base64Url32.nullish(),
};
const PrivateLink = z.object(PRIVATE_LINK_FIELDS);

/** Explains which fields of a link contradict each other. */
export function checkLink(
  link: z.output<typeof PrivateLink>,
  {
    depositedKey,
    earlierKeys,
  }: { depositedKey?: string | null | undefined; earlierKeys?: readonly string[] | null | undefined },
  context: z.RefinementCtx,
) {
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  const isPrivate = link.sealed_key != null && link.key_share != null;
  if ((link.sealed_key == null) !== (link.key_share == null)) {
    refuse('key_share', 'sealed_key and key_share belong together');
  } else if (depositedKey != null && isPrivate) {
    refuse('sealed_key', 'a folder has one link: either the key itself, or sealed_key and key_share');
  } else if ((link.passphrase === true) !== (link.proof_hash != null)) {
    refuse('proof_hash', 'passphrase and proof_hash belong together');
  } else if (link.passphrase === true && !isPrivate) {
    refuse('passphrase', 'only a private link, of sealed_key and key_share, can have a passphrase');
  } else if (earlierKeys != null && depositedKey == null) {
    refuse('earlier_keys', 'only a Discord link has earlier keys, beside its key');
  }
}
