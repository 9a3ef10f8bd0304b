import { AppError } from '@satchel/contract/errors';
import { CARD_SCRIPT } from '@satchel/contract/page-policy';
import { showUnseen } from '@satchel/contract/unseen';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cardNameOf } from '../../domain/folders/folder-data.ts';
import { inClientTurn } from '../client-turns.ts';
import type { AppDeps } from '../deps.ts';
import { describeError, prepareError, toHttpError } from '../errors.ts';

/**
 * The document at `/s/{slug}`: the card of a plain folder's link, whose owner wants chats to show its name. It leads a person to
 * the folder. The page at `/f/{slug}` is the same for every folder, so it has no name.
 */

const SITE_NAME = 'Satchel';
// Characters that turn the direction of text or break the line: with them a name could pass for other words in a chat.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const UNSAFE_IN_TITLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Without the database the document is still sent: it leads to the page, which explains the outage, and its status tells programs. */
async function titleOf(
  { database, gate, logger }: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<string> {
  const look = () => cardNameOf(database.db, slug);
  const name = await inClientTurn(gate, request, look).catch((thrown) => {
    const error = toHttpError(thrown);
    if (error.code === 'request.unavailable') prepareError(reply.code(error.status), error);
    if (!(thrown instanceof AppError)) logger.error({ error: describeError(thrown) }, 'link card look-up failed');
    return null;
  });
  return (name && showUnseen(name.replace(UNSAFE_IN_TITLE, ' ')).trim()) || SITE_NAME;
}

/** @returns the HTML of a slug's card; for a folder without a name to show, and for none, the site's own */
export async function linkCard(
  deps: AppDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<string> {
  const title = escapeText(await titleOf(deps, request, reply, slug));
  const picture = escapeText(`${deps.config.publicUrl}/card.png`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="dark light">
<title>${title}</title>
<meta property="og:type" content="website">
<meta property="og:site_name" content="${SITE_NAME}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="A shared folder that deletes itself.">
<meta property="og:image" content="${picture}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="Pack it. Share it. Then it’s gone.">
<meta name="twitter:card" content="summary_large_image">
<script>${CARD_SCRIPT}</script>
</head>
<body><a href="/f/${slug}">${title}</a></body>
</html>
`;
}
