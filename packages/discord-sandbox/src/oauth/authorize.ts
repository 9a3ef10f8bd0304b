import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../pages/html.ts';
import { type Page, satchelMark, sendErrorPage, sendPage } from '../pages/page.ts';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../personas/personas.ts';
import { type AuthorizationRequest, type RegisteredClient, readAuthorizationRequest } from './authorization-request.ts';
import { singleFields } from './form-fields.ts';
import type { GrantStore } from './grants.ts';
import { type InstallPageDeps, isInstallRequest, showInstallPage } from './install-page.ts';
import type { IssuerOf } from './issuer.ts';
import type { OAuthErrorCode } from './oauth-error.ts';

const scopeTexts: Record<string, string> = {
  identify: 'Access your username, avatar and banner',
  email: 'Access your email address',
  guilds: 'Know what servers you’re in',
};

const tick = html`<svg viewBox="0 0 18 18" aria-hidden="true"><path d="m4 9.5 3.5 3.5L14 5.5"/></svg>`;
const cross = html`<svg viewBox="0 0 18 18" aria-hidden="true"><path d="m5 5 8 8m0-8-8 8"/></svg>`;

function personaChoice(persona: Persona, index: number) {
  const { user, name, about } = persona;
  const handle = user.discriminator === '0' ? `@${user.username}` : `${user.username}#${user.discriminator}`;
  const checked = index === 0 ? html` checked` : '';
  return html`<label class="persona">
<input type="radio" name="persona" value="${name}"${checked} required>
<img src="${avatarPath(persona)}" alt="" width="40" height="40">
<span><strong>${nameOf(persona)}</strong> <small>${handle} · ${about}</small></span>
</label>
`;
}

/** The consent screen. Authorize comes first, so that Enter in the list of personas means it. */
function consentPage(consentId: string, request: AuthorizationRequest): Page {
  const target = new URL(request.redirect_uri).origin;
  const body = html`${satchelMark}
<h1>Satchel wants to access your Discord account</h1>
<p class="lead">Choose who you are today.</p>
<form method="post" action="/oauth2/authorize">
<input type="hidden" name="consent" value="${consentId}">
<fieldset>
<legend>Sign in as</legend>
${personas.map(personaChoice)}
</fieldset>
<h2>This will allow Satchel to</h2>
<ul class="scopes">
${request.scopes.map((scope) => html`<li class="may">${tick}<span>${scopeTexts[scope] ?? scope}</span></li>\n`)}
<li class="may-not">${cross}<span>It can’t read your messages or write as you</span></li>
</ul>
<button class="authorize" name="decision" value="authorize">Authorize</button>
<button class="cancel" name="decision" value="deny" formnovalidate>Cancel</button>
</form>
<p class="fine">Either way you go back to ${target}.</p>`;
  return { title: 'Authorize Satchel', body, formOrigins: [target] };
}

export interface AuthorizeDeps {
  client: RegisteredClient;
  grants: GrantStore;
  issuerOf: IssuerOf;
  install: InstallPageDeps;
}

type Answer = { code: string } | { error: OAuthErrorCode; error_description: string };

const paths = ['/oauth2/authorize', '/api/oauth2/authorize', '/api/v10/oauth2/authorize'];
const denied: Answer = {
  error: 'access_denied',
  error_description: 'The resource owner or authorization server denied the request',
};

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

function sendBack(
  { issuerOf }: AuthorizeDeps,
  { request, reply }: Exchange,
  { redirect_uri, state }: Pick<AuthorizationRequest, 'redirect_uri' | 'state'>,
  answer: Answer,
) {
  const target = new URL(redirect_uri);
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
  if (state !== undefined) target.searchParams.set('state', state);
  // Discord's metadata announces it: authorization_response_iss_parameter_supported (RFC 9207).
  target.searchParams.set('iss', issuerOf(request));
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(target.href, 302);
}

function sendCode(deps: AuthorizeDeps, exchange: Exchange, request: AuthorizationRequest, persona: Persona) {
  return sendBack(deps, exchange, request, { code: deps.grants.issueCode(request, persona) });
}

/** `&persona=`: the consent of tests, which answers without a page. */
function answerForPersona(deps: AuthorizeDeps, exchange: Exchange, request: AuthorizationRequest, wanted: string) {
  if (wanted === 'deny') return sendBack(deps, exchange, request, denied);
  const persona = findPersona(wanted);
  if (persona !== undefined) return sendCode(deps, exchange, request, persona);
  const names = personas.map(({ name }) => name).join(', ');
  return sendErrorPage(exchange.reply, 400, `Unknown persona: it must be one of ${names}, or deny.`);
}

function showOrAnswer(deps: AuthorizeDeps, exchange: Exchange) {
  const { query } = exchange.request;
  if (isInstallRequest(query)) return showInstallPage(exchange.request, exchange.reply, deps.install);
  const reading = readAuthorizationRequest(query, deps.client);
  if (reading.kind === 'page') return sendErrorPage(exchange.reply, 400, reading.message);
  if (reading.kind === 'redirect') {
    return sendBack(deps, exchange, reading, { error: reading.error, error_description: reading.description });
  }
  const { request } = reading;
  const { persona: wanted } = singleFields(query);
  if (wanted !== undefined) return answerForPersona(deps, exchange, request, wanted);
  return sendPage(exchange.reply, 200, consentPage(deps.grants.openConsent(request), request));
}

function decide(deps: AuthorizeDeps, exchange: Exchange) {
  const { request, reply } = exchange;
  const { consent = '', persona: name = '', decision } = singleFields(request.body);
  const opened = deps.grants.takeConsent(consent);
  if (opened === undefined) return sendErrorPage(reply, 400, 'This consent was used already, or it has expired.');
  if (decision === 'deny') return sendBack(deps, exchange, opened, denied);
  const persona = findPersona(name);
  return persona === undefined
    ? sendErrorPage(reply, 400, 'Nobody was chosen.')
    : sendCode(deps, exchange, opened, persona);
}

export function registerAuthorize(app: FastifyInstance, deps: AuthorizeDeps) {
  for (const path of paths) {
    app.get(path, (request, reply) => showOrAnswer(deps, { request, reply }));
    app.post(path, (request, reply) => decide(deps, { request, reply }));
  }
}
