import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Installations, InstallTarget } from '../chat/chat-entities.ts';
import { requireLoopback, requireSameOrigin } from '../chat/same-origin.ts';
import { singleFields } from '../pages/fields.ts';
import { html } from '../pages/html.ts';
import { satchelMark, sendErrorPage, sendPage } from '../pages/page.ts';
import { avatarPath, findPersona, nameOf, type Persona, personas } from '../personas/personas.ts';

export interface InstallDeps {
  readonly installations: Installations;
  readonly clientId: string;
}

const PATH = '/oauth2/authorize/install';
const INSTALLING = ['bot', 'applications.commands'];

/** Without a code to send back, an authorization for these scopes adds the application and ends on its own page. */
export const isInstallRequest = ({ scope = '', response_type }: ReturnType<typeof singleFields>): boolean =>
  response_type === undefined && scope.split(' ').every((name) => INSTALLING.includes(name));

function choiceOf(persona: Persona, { kind, id, name, is_installed }: InstallTarget) {
  const [title, detail] =
    kind === 'server'
      ? [name, `As ${nameOf(persona)}, whose server it is: everybody there gets the commands`]
      : [`${name}’s own account`, `Commands wherever ${name} is, answers for ${name}`];
  return html`<button class="persona" name="choice" value="${persona.name} ${id}">
<img src="${avatarPath(persona)}" alt="" width="40" height="40">
<span><strong>${title}</strong> <small>${is_installed ? `${detail} · already added` : detail}</small></span>
</button>
`;
}

/** The page of an authorization for `bot` and `applications.commands`: servers first, each by its owner. */
export function showInstallPage(reply: FastifyReply, { installations }: InstallDeps) {
  const all = personas.flatMap((persona) =>
    installations.targetsOf(persona.name).map((target) => ({ persona, target })),
  );
  const choices = ['server', 'account'].flatMap((kind) => all.filter(({ target }) => target.kind === kind));
  const body = html`${satchelMark}
<h1>Add Satchel to Discord</h1>
<p class="lead">It brings its commands to a server, or to one person.</p>
<form method="post" action="${PATH}">
<fieldset>
<legend>Add to</legend>
${choices.map(({ persona, target }) => choiceOf(persona, target))}
</fieldset>
</form>
<p class="fine">It can’t read messages, and writes only where somebody uses a command.</p>`;
  return sendPage(reply, 200, { title: 'Add Satchel', body });
}

export function registerInstallPage(app: FastifyInstance, { installations }: InstallDeps) {
  app.post(PATH, { onRequest: [requireLoopback, requireSameOrigin] }, ({ body }, reply) => {
    const [name = '', targetId] = singleFields(body).choice?.split(' ') ?? [];
    const persona = findPersona(name);
    const target = persona && installations.targetsOf(name).find(({ id }) => id === targetId);
    if (!persona || !target) return sendErrorPage(reply, 'That is not theirs to add an app to.');
    installations.install(name, target.id);
    const where = target.kind === 'account' ? `${nameOf(persona)}’s account` : target.name;
    const done = html`${satchelMark}
<h1>Satchel is added to ${where}</h1>
<p class="lead">Type / in a channel to see its commands.</p>
<a class="go" href="/chat?as=${persona.name}">Open the chat as ${nameOf(persona)}</a>`;
    return sendPage(reply, 200, { title: 'Satchel is added', body: done });
  });
}
