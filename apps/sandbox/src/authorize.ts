import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type AuthorizationRequest, type RegisteredClient, readAuthorizationRequest } from './authorization-request.ts';
import { consentPage } from './consent-page.ts';
import { field } from './form-fields.ts';
import type { GrantStore } from './grants.ts';
import type { IssuerOf } from './issuer.ts';
import type { OAuthErrorCode } from './oauth-error.ts';
import { sendErrorPage, sendPage } from './page.ts';
import { findPersona, type Persona, personas } from './personas.ts';

export interface AuthorizeDeps {
  client: RegisteredClient;
  grants: GrantStore;
  issuerOf: IssuerOf;
}

type Answer = { code: string } | { error: OAuthErrorCode; error_description: string };

const paths = ['/oauth2/authorize', '/api/oauth2/authorize', '/api/v10/oauth2/authorize'];
const denied: Answer = {
  error: 'access_denied',
  error_description: 'The resource owner or authorization server denied the request',
};
const decisionForm = z.object({ consent: field, persona: field, decision: z.enum(['authorize', 'deny']) });

export function registerAuthorize(app: FastifyInstance, { client, grants, issuerOf }: AuthorizeDeps) {
  function sendBack(
    http: { request: FastifyRequest; reply: FastifyReply },
    { redirect_uri, state }: Pick<AuthorizationRequest, 'redirect_uri' | 'state'>,
    answer: Answer,
  ) {
    const target = new URL(redirect_uri);
    for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
    if (state !== undefined) target.searchParams.set('state', state);
    // Discord's metadata announces it: authorization_response_iss_parameter_supported (RFC 9207).
    target.searchParams.set('iss', issuerOf(http.request));
    return http.reply
      .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .redirect(target.href, 302);
  }

  const consentTo = (request: AuthorizationRequest, persona: Persona): Answer => ({
    code: grants.issueCode(request, persona),
  });

  function showOrAnswer(request: FastifyRequest, reply: FastifyReply) {
    const reading = readAuthorizationRequest(request.query, client);
    if (reading.kind === 'page') return sendErrorPage(reply, 400, reading.message);
    const http = { request, reply };
    if (reading.kind === 'redirect') {
      return sendBack(http, reading, { error: reading.error, error_description: reading.description });
    }
    const { persona: wanted } = z.object({ persona: field }).catch({ persona: '' }).parse(request.query);
    if (wanted === 'deny') return sendBack(http, reading.request, denied);
    if (wanted !== undefined) {
      const persona = findPersona(wanted);
      if (persona !== undefined) return sendBack(http, reading.request, consentTo(reading.request, persona));
      const names = personas.map(({ name }) => name).join(', ');
      return sendErrorPage(reply, 400, `Unknown persona: it must be one of ${names}, or deny.`);
    }
    if (reading.prompt === 'none') {
      // Nobody is ever signed in to the sandbox, so that there is no consent to fall back on.
      return sendBack(http, reading.request, { error: 'login_required', error_description: 'Nobody is signed in.' });
    }
    return sendPage(reply, 200, consentPage(grants.openConsent(reading.request), reading.request));
  }

  function decide(request: FastifyRequest, reply: FastifyReply) {
    const form = decisionForm.safeParse(request.body);
    if (!form.success) return sendErrorPage(reply, 400, 'The form was not filled in as this page offers it.');
    const opened = grants.takeConsent(form.data.consent ?? '');
    if (opened === undefined) return sendErrorPage(reply, 400, 'This consent was used already, or it has expired.');
    if (form.data.decision === 'deny') return sendBack({ request, reply }, opened, denied);
    const persona = findPersona(form.data.persona ?? '');
    if (persona === undefined) return sendErrorPage(reply, 400, 'Nobody was chosen.');
    return sendBack({ request, reply }, opened, consentTo(opened, persona));
  }

  for (const path of paths) {
    app.get(path, showOrAnswer);
    app.post(path, decide);
  }
}
