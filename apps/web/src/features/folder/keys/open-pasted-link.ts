import { t } from '@lingui/core/macro';
import { readPastedLink } from '@satchel/client/keys/pasted-link';
import { AppError } from '@satchel/contract/errors';
import type { AnyRouter } from '@tanstack/react-router';
import { settings } from '../../../lib/base/settings.ts';
import { errorText } from '../../../lib/texts/error-text.ts';

/**
 * Puts a pasted key into the address, or goes to the folder of a pasted link; nothing of it is sent.
 * @param slug of the folder that the page shows
 * @param error why the key in the address opens nothing
 * @returns says what is wrong with it, in the language of the moment; null once the address has it
 */
export function openPastedLink(
  text: string,
  slug: string,
  router: AnyRouter,
  error: AppError | null,
): (() => string) | null {
  const link = readPastedLink(text, [location.origin, settings.public_url]);
  if (link.kind === 'elsewhere') {
    const { host } = link;
    return () => t`This link leads to another site, ${host}.`;
  }
  if (link.kind === 'damaged') return () => t`A part of it is missing or changed. Copy the whole link again.`;
  if (link.kind === 'other') return () => t`This is neither a link to a folder nor a key.`;
  const { hash } = link;
  const isHere = link.kind === 'key' || link.slug === slug;
  if (isHere && hash === '') return () => t`This link has no key either: the part after the # sign is missing.`;
  if (isHere && hash === router.latestLocation.hash) return () => errorText(error ?? new AppError('key.unsealable'));
  void router.navigate({ to: '/f/$slug', params: { slug: isHere ? slug : link.slug }, hash, replace: isHere });
  return null;
}
