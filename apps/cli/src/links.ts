import { readFile } from 'node:fs/promises';
import { bringsGrant, fragmentInPath } from '@satchel/client/keys/link-parts';
import { readPastedLink } from '@satchel/client/keys/pasted-link';
import { AppError } from '@satchel/contract/errors';
import { UsageError } from './outcome.ts';
import { readAll, say } from './terminal.ts';

/** A folder's link, as a person gives it. */
export interface GivenLink {
  readonly origin: string;
  readonly slug: string;
  /** Without its `#`; may be empty. */
  readonly hash: string;
}

const ADDRESS = /https?:\/\/[^\s<>"'“”„«»]+/i;

/** @throws UsageError where it is no link; key.unsealable where its key was damaged */
export function parseLink(text: string): GivenLink {
  const [address] = ADDRESS.exec(text) ?? [];
  if (address === undefined || !URL.canParse(address)) throw new UsageError('this is not a link to a folder');
  const { origin, pathname } = new URL(address);
  const misplaced = fragmentInPath(pathname);
  const pasted = readPastedLink(misplaced ? `${origin}${misplaced.path}#${misplaced.fragment}` : text, [origin]);
  if (pasted.kind === 'damaged') throw new AppError('key.unsealable');
  if (pasted.kind !== 'folder') throw new UsageError('this is not a link to a folder');
  if (bringsGrant(pasted.hash)) throw new UsageError('a link that Discord made for one person opens in a browser only');
  return { origin, slug: pasted.slug, hash: pasted.hash };
}

/**
 * Reads a link from where it was given: `-` for stdin, `@FILE`, the link itself, else SATCHEL_LINK.
 * @throws what parseLink throws; UsageError where there is none
 */
export async function readLink(operand: string | undefined, env: NodeJS.ProcessEnv): Promise<GivenLink> {
  if (operand === '-') return parseLink(await readAll());
  if (operand?.startsWith('@')) return parseLink(await readFile(operand.slice(1), 'utf8'));
  if (operand !== undefined) {
    const link = parseLink(operand);
    if (link.hash !== '') {
      say(
        'warning: other users of this machine can see arguments. Give the link by a pipe, by @FILE or in SATCHEL_LINK',
      );
    }
    return link;
  }
  if (env.SATCHEL_LINK) return parseLink(env.SATCHEL_LINK);
  if (process.stdin.isTTY) throw new UsageError('which link? Give it by a pipe, by @FILE or in SATCHEL_LINK');
  return parseLink(await readAll());
}
