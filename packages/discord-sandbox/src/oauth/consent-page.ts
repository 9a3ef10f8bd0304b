import { html } from '../pages/html.ts';
import { type Page, satchelMark } from '../pages/page.ts';
import { avatarPath, nameOf, type Persona, personas } from '../personas/personas.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

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
export function consentPage(consentId: string, request: AuthorizationRequest): Page {
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
