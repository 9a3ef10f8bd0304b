import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Installations, InstallTarget } from '../chat/installations.ts';
import { requireLoopback, requireSameOrigin } from '../chat/same-origin.ts';
import { html, type Markup } from '../pages/html.ts';
import { satchelMark, sendPage } from '../pages/page.ts';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../personas/personas.ts';
import { singleFields } from './form-fields.ts';

export interface InstallPageDeps {
  readonly installations: Installations;
  readonly clientId: string;
}

const INSTALLING = ['bot', 'applications.commands'];
const POST_PATH = '/oauth2/authorize/install';

/** Without a code to send back, an authorization for these scopes adds the application and ends on this very page. */
export function isInstallRequest(query: unknown): boolean {
  const { scope = '', response_type } = singleFields(query);
  return response_type === undefined && scope.split(' ').every((name) => INSTALLING.includes(name));
}

const sendNotice = (reply: FastifyReply, message: string) =>
  sendPage(reply, 400, {
    title: 'Not added',
    body: html`${satchelMark}
<h1>Satchel was not added</h1>
<p class="lead" role="alert">${message}</p>
<p class="fine"><a href="/chat">Go to the chat</a></p>`,
  });

/** Who adds it: a link for each, since this page runs no script and the next one depends on it. */
function whoPage(clientId: string, scope: string): Markup {
  const address = (persona: Persona) =>
    `/oauth2/authorize?${new URLSearchParams({ client_id: clientId, scope, persona: persona.name })}`;
  const choices = personas.map(
    (persona) => html`<li><a class="persona" href="${address(persona)}">
<img src="${avatarPath(persona)}" alt="" width="40" height="40">
<span><strong>${nameOf(persona)}</strong> <small>${persona.about}</small></span>
</a></li>
`,
  );
  return html`${satchelMark}
<h1>Add Satchel to Discord</h1>
<p class="lead">Choose who you are today.</p>
<ul class="people">
${choices}</ul>
<p class="fine">A person chooses servers that they manage, and their own account.</p>`;
}

function targetChoice({ kind, id, name, is_installed }: InstallTarget, isFirst: boolean) {
  const [title, detail] =
    kind === 'account'
      ? ['My own account', `Commands wherever ${name} is, answers for ${name}`]
      : [name, 'A server: everybody there gets the commands'];
  const checked = isFirst ? html` checked` : '';
  return html`<label class="persona">
<input type="radio" name="target" value="${id}"${checked} required>
<span><strong>${title}</strong> <small>${is_installed ? `${detail} · already added` : detail}</small></span>
</label>
`;
}

function wherePage(persona: Persona, targets: readonly InstallTarget[]): Markup {
  const first = targets.find(({ is_installed }) => !is_installed) ?? targets[0];
  return html`${satchelMark}
<h1>Add Satchel as ${nameOf(persona)}</h1>
<p class="lead">It brings the commands /upload, /list, /share and /delete.</p>
<form method="post" action="${POST_PATH}">
<input type="hidden" name="persona" value="${persona.name}">
<fieldset>
<legend>Add to</legend>
${targets.map((target) => targetChoice(target, target === first))}
</fieldset>
<button class="authorize">Authorize</button>
</form>
<p class="fine">It can’t read messages, and writes only where somebody uses a command.</p>`;
}

function donePage(persona: Persona, { kind, name }: InstallTarget): Markup {
  const where = kind === 'account' ? 'your account' : name;
  return html`${satchelMark}
<h1>Satchel is added to ${where}</h1>
<p class="lead">Type / in a channel to see its commands.</p>
<a class="go" href="/chat?as=${persona.name}">Open the chat as ${nameOf(persona)}</a>`;
}

/** The page of an authorization for `bot` and `applications.commands`. */
export function showInstallPage(request: FastifyRequest, reply: FastifyReply, deps: InstallPageDeps) {
  const { client_id, persona: wanted, scope = '' } = singleFields(request.query);
  if (client_id !== deps.clientId) return sendNotice(reply, 'Unknown application: no such client_id.');
  if (wanted === undefined) return sendPage(reply, 200, { title: 'Add Satchel', body: whoPage(deps.clientId, scope) });
  const persona = findPersona(wanted);
  if (persona === undefined) return sendNotice(reply, 'There is nobody of that name here.');
  const body = wherePage(persona, deps.installations.targetsOf(persona.name));
  return sendPage(reply, 200, { title: 'Add Satchel', body });
}

function install(request: FastifyRequest, reply: FastifyReply, { installations }: InstallPageDeps) {
  const form = singleFields(request.body);
  const persona = findPersona(form.persona ?? '');
  if (persona === undefined) return sendNotice(reply, 'Nobody was chosen.');
  const target = installations.targetsOf(persona.name).find(({ id }) => id === form.target);
  if (target === undefined) return sendNotice(reply, 'That is not yours to add an app to.');
  installations.install(persona.name, target.id);
  return sendPage(reply, 200, { title: 'Satchel is added', body: donePage(persona, target) });
}

export function registerInstallPage(app: FastifyInstance, deps: InstallPageDeps) {
  app.post(POST_PATH, { onRequest: [requireLoopback, requireSameOrigin] }, (request, reply) =>
    install(request, reply, deps),
  );
}
