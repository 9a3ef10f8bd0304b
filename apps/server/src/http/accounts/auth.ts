import { AuthorizeOutput, LogoutQuery, PATHS, Session, SessionList } from '@satchel/contract/api';
import { Id, User } from '@satchel/contract/entities';
import { AppError, type ErrorCode } from '@satchel/contract/errors';
import { BEARER_SECONDS } from '@satchel/contract/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Viewer } from '../../domain/access/find-folder.ts';
import { requireAdmitted, requireOpenDoor } from '../../domain/accounts/admission.ts';
import { profileById, toUser, upsertProfile } from '../../domain/accounts/profiles.ts';
import { beginSession, endOwnSession, endSession, listSessions, signOut } from '../../domain/accounts/sessions.ts';
import { refuseBanned } from '../../domain/moderation/bans.ts';
import { inTransaction } from '../../platform/database/db.ts';
import { SignInError } from '../../platform/discord/discord-oauth.ts';
import { clearSessionCookie, setSessionCookie, setSignInCookie, takeSignInCookie } from '../cookies.ts';
import type { AppDeps } from '../deps.ts';
import { describeError } from '../errors.ts';
import { requireViewer, signedIn } from '../requester.ts';
import { deviceLabel } from './device-label.ts';

const SIGN_IN_SECONDS = 600;
const CALLBACK_PAGE = '/auth/callback';
const DESCRIPTION_MAX = 300;

const AuthorizeQuery = z.object({ provider: z.string().optional(), redirect_to: z.string().max(2048).optional() });

/**
 * True for a path of this site, and false for anything that a browser would read as another site.
 * @param publicUrl origin of this site
 */
export function isPathOfSite(path: string, publicUrl: string): boolean {
  // Browsers read a backslash as a slash, drop tabs and newlines, and read two slashes as the start of a host.
  if (!/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path) || !URL.canParse(path, publicUrl)) return false;
  return new URL(path, publicUrl).origin === publicUrl;
}

const NOT_LET_IN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'auth.banned',
  'auth.not_admitted',
  'auth.account_not_admitted',
  'auth.closed',
]);

/** The error for the person who comes back from Discord: why they are not let in, or that something failed. */
function signInErrorOf(error: unknown): SignInError {
  if (error instanceof AppError && NOT_LET_IN.has(error.code)) return new SignInError('access_denied', error.message);
  return new SignInError('server_error', new AppError('unexpected').message);
}

/** The page that shows a failed sign-in. The error is in the fragment, which no server logs. */
function failurePage({ error, message }: SignInError): string {
  const fragment = new URLSearchParams({ error, error_description: message.slice(0, DESCRIPTION_MAX) });
  return `${CALLBACK_PAGE}#${fragment}`;
}

async function sessionOf({ database, tokens }: AppDeps, viewer: Viewer): Promise<Session> {
  const user = toUser(await profileById(database.db, viewer.profile_id));
  const expiresAtMs = Date.now() + BEARER_SECONDS * 1000;
  const access_token = tokens.signBearer({ ...viewer, expiresAtMs });
  return { session: { access_token, expires_at: new Date(expiresAtMs).toISOString(), user } };
}

/**
 * Signs in the person that Discord sent back.
 * @returns the page to show next
 */
async function finishSignIn(deps: AppDeps, request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { config, database, discord, tokens } = deps;
  const cookie = takeSignInCookie(request, reply, config);
  const checks = cookie === null ? null : tokens.verifySignIn(cookie);
  if (!checks) {
    throw new SignInError('invalid_state', 'This sign-in took too long or began in another browser. Please try again.');
  }
  const callbackUrl = new URL(PATHS.oauthCallback, config.publicUrl);
  callbackUrl.search = new URL(request.url, config.publicUrl).search;
  // RFC 6749 §10.12: "The client MUST implement CSRF protection for its redirection URI."
  if (callbackUrl.searchParams.get('state') !== checks.state) {
    throw new SignInError('invalid_state', 'This answer belongs to another sign-in. Please try again.');
  }
  const person = await discord.redeem(callbackUrl, checks);
  requireAdmitted(config, person);
  const { user } = person;
  // One transaction with the check for a ban: nothing is stored of a banned person, and no ban comes in between.
  const { token } = await inTransaction(database.db, async (tx) => {
    await refuseBanned(tx, user.discord_id);
    await requireOpenDoor(tx, config, user.discord_id);
    const profile = await upsertProfile(tx, user);
    // One browser, one session: the browser's earlier session ends.
    if (request.viewer) await endSession(tx, request.viewer.session_id);
    return beginSession(tx, profile.id, deviceLabel(request.headers['user-agent'] ?? ''));
  });
  setSessionCookie(reply, config, token);
  return CALLBACK_PAGE;
}

/** Signing in and out. */
export function authRoutes(deps: AppDeps): FastifyPluginAsyncZod {
  const { config, database, discord, tokens } = deps;

  return async (app) => {
    app.get(
      PATHS.authorize,
      { schema: { querystring: AuthorizeQuery, response: { 200: AuthorizeOutput } } },
      async (request, reply) => {
        const { provider, redirect_to = '/' } = request.query;
        if (provider !== 'discord') throw new AppError('auth.bad_provider');
        // The page itself remembers where it wants to go; a link that leads to another site is refused here.
        if (!isPathOfSite(redirect_to, config.publicUrl)) throw new AppError('auth.bad_redirect');
        const checks = discord.newChecks();
        const signIn = tokens.signSignIn({ ...checks, expiresAtMs: Date.now() + SIGN_IN_SECONDS * 1000 });
        setSignInCookie(reply, config, signIn, SIGN_IN_SECONDS);
        // The page leads there: no redirect of the server leaves the site.
        return { url: await discord.authorizeUrl(checks) };
      },
    );

    app.get(PATHS.oauthCallback, async (request, reply) => {
      const page = await finishSignIn(deps, request, reply).catch((error) => {
        request.log.warn({ error: describeError(error) }, 'sign-in failed');
        return failurePage(error instanceof SignInError ? error : signInErrorOf(error));
      });
      return reply.redirect(page, 302);
    });

    app.get(PATHS.session, { schema: { response: { 200: Session } } }, async (request) =>
      request.viewer ? sessionOf(deps, request.viewer) : { session: null },
    );

    app.get(PATHS.user, { schema: { response: { 200: User } } }, async (request) =>
      toUser(await profileById(database.db, requireViewer(request).profile_id)),
    );

    app.post(PATHS.logout, { schema: { querystring: LogoutQuery } }, async (request, reply) => {
      const { scope } = request.query;
      if (request.isDevice && scope !== 'local') throw new AppError('auth.not_for_devices');
      if (request.viewer) await signOut(database.db, request.viewer, scope);
      if (scope !== 'others') clearSessionCookie(reply, config);
      return reply.code(204).send();
    });

    app.get(PATHS.sessions, { schema: { response: { 200: SessionList } } }, async (request) =>
      listSessions(database.db, requireViewer(request)),
    );

    app.delete(
      `${PATHS.sessions}/:id`,
      { onRequest: signedIn, schema: { params: z.object({ id: Id }) } },
      async (request, reply) => {
        const viewer = requireViewer(request);
        await endOwnSession(database.db, viewer, request.params.id);
        if (request.params.id === viewer.session_id) clearSessionCookie(reply, config);
        return reply.code(204).send();
      },
    );
  };
}
