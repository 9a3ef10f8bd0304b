import type { FastifyInstance } from 'fastify';
import type { IssuerOf } from './oauth/issuer.ts';
import { html } from './pages/html.ts';
import { satchelMark, sendPage } from './pages/page.ts';
import { personas } from './personas/personas.ts';

export interface HomeDeps {
  issuerOf: IssuerOf;
}

/** What a person finds at the sandbox's address, and what a relying party can discover there (RFC 8414). */
export function registerHome(app: FastifyInstance, { issuerOf }: HomeDeps) {
  app.get('/', (request, reply) => {
    const body = html`${satchelMark}
<h1>Sandbox Discord</h1>
<p class="lead">It answers at ${issuerOf(request)}. Sign-in from Satchel leads here.</p>
<a class="go" href="/chat">Open the chat</a>
<p class="fine">The first thing to try: Mika and Jonas side by side. Type <code>/upload</code> as Mika, then <code>/share</code>.</p>
<h2>Who you can be</h2>
<dl>
${personas.map(({ name, about }) => html`<dt><code>${name}</code></dt><dd>${about}</dd>\n`)}
</dl>
<p class="fine">Tokens live in memory: a restart signs everyone out of the sandbox.</p>`;
    return sendPage(reply, 200, { title: 'Sandbox', body });
  });

  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(satchelMark.markup));
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/icon.svg', 302));

  app.get('/.well-known/oauth-authorization-server', (request) => {
    const issuer = issuerOf(request);
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth2/authorize`,
      token_endpoint: `${issuer}/api/oauth2/token`,
      revocation_endpoint: `${issuer}/api/oauth2/token/revoke`,
      scopes_supported: ['identify', 'email'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  });
}
