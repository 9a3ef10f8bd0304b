import { createHash } from 'node:crypto';

/** What a page that is not the release's names beside the release's files: reported as help, since its bytes differ anyway. */

const TAG = /<(?:script|link|img|iframe|frame|embed|object|source|audio|video|base|form|meta)\b[^>]*>/gi;
const ADDRESS = /\s(?:src|href|data|action|content)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/gi;
const INLINE_SCRIPT = /<script\b(?![^>]*\ssrc\s*=)[^>]*>([\s\S]*?)<\/script\s*>/gi;
const REFRESH = /http-equiv\s*=\s*["']?refresh/i;

/** The addresses that elements of a page load or lead to, without the texts of a `<meta>`. */
function addressesIn(html: string): string[] {
  return Array.from(html.matchAll(TAG), ([tag]) => tag)
    .filter((tag) => !/^<meta/i.test(tag) || REFRESH.test(tag))
    .flatMap((tag) => Array.from(tag.matchAll(ADDRESS), ([, double, single, bare]) => double ?? single ?? bare ?? ''));
}

/**
 * @param address of the page
 * @returns each address that is neither a file of the release nor a page, in its shortest form
 */
export function findForeignAddresses(html: string, address: URL, isKnown: (path: string) => boolean): string[] {
  const foreign = addressesIn(html).flatMap((text) => {
    if (text.startsWith('#') || !URL.canParse(text, address)) return [];
    const { origin, pathname, protocol } = new URL(text, address);
    if (origin !== address.origin) return [protocol === 'data:' ? 'data:' : new URL(text, address).href];
    return isKnown(pathname) ? [] : [pathname];
  });
  return [...new Set(foreign)];
}

/** @returns how many inline scripts of a page its release's policy doesn't allow by their hash */
export function countForeignScripts(html: string, policy: string): number {
  const codes = Array.from(html.matchAll(INLINE_SCRIPT), ([, code = '']) => code);
  return codes.filter((code) => !policy.includes(`'sha256-${createHash('sha256').update(code).digest('base64')}'`))
    .length;
}
