import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { singleFields } from '../pages/fields.ts';
import { html, type Markup } from '../pages/html.ts';
import { type Page, satchelMark, sendErrorPage, sendPage } from '../pages/page.ts';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../personas/personas.ts';
import type { AuthorizationRequest, GrantStore } from './grants.ts';
import { type InstallDeps, isInstallRequest, showInstallPage } from './install-page.ts';

const PATH = '/oauth2/authorize';

/** The scopes that are served, in words for the person who consents. */
const SCOPES: Readonly<Record<string, string>> = {
  identify: 'Access your username, avatar and banner',
  email: 'Access your email address',
  guilds: 'Know what servers you’re in',
};
/** A SHA-256 of 32 bytes is 43 characters of base64url; the last character carries four bits only. */
const CHALLENGE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export interface AuthorizeDeps extends InstallDeps {
  readonly redirectUris: readonly string[];
  readonly grants: GrantStore;
}

/** What is wrong with an authorization request, as RFC 6749 §4.1.2.1 says it to the application. */
function faultOf(fields: Readonly<Record<string, string | undefined>>, scopes: readonly string[]) {
  const { response_type, code_challenge = '', code_challenge_method } = fields;
  if (response_type !== 'code') {
    return { error: 'unsupported_response_type', error_description: 'The response_type must be code.' };
  }
  if (!scopes.every((name) => Object.hasOwn(SCOPES, name))) {
    const error_description = 'The requested scope is invalid, unknown, or malformed.';
    return { error: 'invalid_scope', error_description };
  }
  if (code_challenge_method !== 'S256' || !CHALLENGE.test(code_challenge)) {
    const error_description = 'PKCE must be S256, with a code_challenge of 43 characters.';
    return { error: 'invalid_request', error_description };
  }
  return null;
}

const DENIED = {
  error: 'access_denied',
  error_description: 'The resource owner or authorization server denied the request',
};

function personaChoice(persona: Persona, index: number): Markup {
  const { user, name, about } = persona;
  const handle = user.discriminator === '0' ? `@${user.username}` : `${user.username}#${user.discriminator}`;
  return html`<label class="persona">
<input type="radio" name="persona" value="${name}"${index === 0 ? html` checked` : ''} required>
<img src="${avatarPath(persona)}" alt="" width="40" height="40">
<span><strong>${nameOf(persona)}</strong> <small>${handle} · ${about}</small></span>
</label>
`;
}

/** The consent screen. Authorize comes first, so that Enter in the list of personas means it. */
function consentPage(consentId: string, { redirect_uri, scopes }: AuthorizationRequest): Page {
  const target = new URL(redirect_uri).origin;
  const body = html`${satchelMark}
<h1>Satchel wants to access your Discord account</h1>
<p class="lead">Choose who you are today.</p>
<form method="post" action="${PATH}">
<input type="hidden" name="consent" value="${consentId}">
<fieldset>
<legend>Sign in as</legend>
${personas.map(personaChoice)}
</fieldset>
<h2>This will allow Satchel to</h2>
<ul class="scopes">
${scopes.map((scope) => html`<li>${SCOPES[scope] ?? scope}</li>\n`)}
<li class="may-not">It can’t read your messages or write as you</li>
</ul>
<button class="authorize" name="decision" value="authorize">Authorize</button>
<button class="cancel" name="decision" value="deny" formnovalidate>Cancel</button>
</form>
<p class="fine">Either way you go back to ${target}.</p>`;
  return { title: 'Authorize Satchel', body, formOrigins: [target] };
}

type Target = Pick<AuthorizationRequest, 'redirect_uri' | 'state'>;

function sendBack({ host }: FastifyRequest, reply: FastifyReply, { redirect_uri, state }: Target, answer: object) {
  const target = new URL(redirect_uri);
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
  if (state !== undefined) target.searchParams.set('state', state);
  // Discord's metadata announces it: authorization_response_iss_parameter_supported (RFC 9207).
  target.searchParams.set('iss', `http://${host}`);
  return reply.header('referrer-policy', 'no-referrer').redirect(target.href, 302);
}

/** The authorization endpoint of RFC 6749 §4.1: the page on which a person chooses who they are, and consents. */
export function registerAuthorize(app: FastifyInstance, { redirectUris, grants, ...install }: AuthorizeDeps) {
  /** @param wanted the persona, or `deny` */
  function decide(request: FastifyRequest, reply: FastifyReply, asked: AuthorizationRequest, wanted: string) {
    if (wanted === 'deny') return sendBack(request, reply, asked, DENIED);
    const persona = findPersona(wanted);
    if (persona !== undefined) return sendBack(request, reply, asked, { code: grants.issueCode(asked, persona) });
    const names = personas.map(({ name }) => name).join(', ');
    return sendErrorPage(reply, `Unknown persona: it must be one of ${names}, or deny.`);
  }

  app.get(PATH, (request, reply) => {
    const fields = singleFields(request.query);
    const { client_id, redirect_uri, scope = '', state, code_challenge = '', persona } = fields;
    if (client_id !== install.clientId) return sendErrorPage(reply, 'Unknown application: no such client_id.');
    if (isInstallRequest(fields)) return showInstallPage(reply, install);
    // Where the redirect address itself can't be trusted, a refusal is told on a page.
    if (redirect_uri === undefined || !redirectUris.includes(redirect_uri)) {
      return sendErrorPage(reply, 'Invalid redirect_uri: it must be one of the registered ones, to the letter.');
    }
    const asked: AuthorizationRequest = { redirect_uri, scopes: [...new Set(scope.split(' '))], state, code_challenge };
    const fault = faultOf(fields, asked.scopes);
    if (fault !== null) return sendBack(request, reply, asked, fault);
    // `&persona=`: the consent of tests, which answers without a page.
    if (persona !== undefined) return decide(request, reply, asked, persona);
    return sendPage(reply, 200, consentPage(grants.openConsent(asked), asked));
  });
  app.post(PATH, (request, reply) => {
    const { consent = '', persona = '', decision } = singleFields(request.body);
    const asked = grants.takeConsent(consent);
    if (asked === undefined) return sendErrorPage(reply, 'This consent was used already, or it has expired.');
    return decide(request, reply, asked, decision === 'deny' ? 'deny' : persona);
  });
}
