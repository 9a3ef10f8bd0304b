import { DISABLED_FEATURES } from '@satchel/contract/page-policy';

/** How the policies that an answer has differ from the release's. */

export interface PolicyDifference {
  /** Directives with other sources, as they were sent; `null` is one that is missing. */
  readonly directives: readonly string[];
  /** Origins that a site may add for the bytes of files: USERCONTENT_URL, and its store with BLOBS_DIRECT. */
  readonly ownOrigins: readonly string[];
}

/** The directives that a site's settings add origins to. */
const WITH_ORIGINS = new Set(['img-src', 'media-src', 'connect-src']);
const ORIGIN = /^https?:\/\/[\w.:[\]-]+(\/[^\s;,']*)?$/;

const directivesOf = (policy: string): Map<string, string> =>
  new Map(
    policy
      .split(';')
      .map((directive) => directive.trim())
      .filter((directive) => directive !== '')
      .map((directive) => [directive.split(/\s/, 1)[0] ?? '', directive]),
  );

/** The origins that a directive has more than the release's; null for any other difference. */
function addedOrigins(name: string, served: string | undefined, expected: string): readonly string[] | null {
  if (served === expected) return [];
  if (!WITH_ORIGINS.has(name) || !served?.startsWith(`${expected} `)) return null;
  const added = served.slice(expected.length + 1).split(' ');
  return added.length <= 2 && added.every((source) => ORIGIN.test(source)) ? added : null;
}

/** @param served all policies of an answer, as its header has them; null where there is none */
export function comparePolicies(served: string | null, expected: string): PolicyDifference {
  if (served === expected) return { directives: [], ownOrigins: [] };
  if (served === null) return { directives: ['there is none'], ownOrigins: [] };
  // A second header is joined by a comma, which no source of ours has.
  if (served.includes(',')) return { directives: ['there are several'], ownOrigins: [] };
  const [theirs, ours] = [directivesOf(served), directivesOf(expected)];
  const directives: string[] = [];
  const ownOrigins = new Set<string>();
  for (const [name, directive] of ours) {
    const added = addedOrigins(name, theirs.get(name), directive);
    for (const origin of added ?? []) ownOrigins.add(origin);
    if (added === null) directives.push(theirs.get(name) ?? `no ${name}`);
  }
  for (const [name, directive] of theirs) if (!ours.has(name)) directives.push(directive);
  if (directives.length === 0 && ownOrigins.size === 0) directives.push('its directives are in another order');
  return { directives, ownOrigins: [...ownOrigins] };
}

/**
 * The features of the browser (W3C Permissions Policy) that the release turns off, and that this page's answer does not. A page may
 * turn off more.
 * @param served the Permissions-Policy as its headers have it, joined by commas: of two values of a name the last one counts
 */
export function enabledFeatures(served: string | null): readonly string[] {
  const allowed = new Map(
    (served ?? '').split(',').map((member) => {
      const [name = '', list] = member.split('=', 2);
      return [name.trim(), list?.trim()];
    }),
  );
  return DISABLED_FEATURES.filter((name) => allowed.get(name) !== '()');
}
