import type { FastifyInstance } from 'fastify';
import type { IssuerOf } from './oauth/issuer.ts';
import { html } from './pages/html.ts';
import { satchelMark, sendPage } from './pages/page.ts';
import { personas } from './personas/personas.ts';

export interface HomeDeps {
  issuerOf: IssuerOf;
}

/** What a person finds at the sandbox's address. */
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
}
