import { listen, type Profile, readProfiles } from './api.ts';
import { el, icon, picture } from './dom.ts';
import { keepTimesFresh } from './messages/markdown-view.ts';
import { createPane, type Pane } from './pane.ts';

/*
 * The chat's page. `/chat?as=mika&as=jonas` opens those personas side by side. By these names it is read out, and tests
 * find their way in it:
 *
 * - region "Mika": a persona's pane. All below is inside one.
 * - navigation "Servers and direct messages of Mika" and navigation "Channels of Mika": a button by the name of each;
 *   buttons "User settings" and "Close Mika".
 * - log "Messages in #general" ("… @Satchel"): an article by the name of its author for each message; in it its buttons,
 *   link buttons as links, selects as comboboxes by their placeholder, embeds and cards as groups by their title, "Only
 *   you can see this" with the button "Dismiss message".
 * - textbox "Message #general": Enter sends. After "/" the listbox "Commands" has options such as "/upload Puts files …".
 * - group "/upload": the chosen command; its options are comboboxes by their names, with a listbox "folder — …" each.
 *   Enter or button "Send" sends; Escape goes back. An alert says what could not be sent.
 * - dialog by the modal's title: textboxes by their labels, buttons "Submit", "Cancel" and "Close".
 * - button "Add a person" opens a list with a button for each persona that is not there yet.
 */

const DEFAULT_NAMES = ['mika', 'jonas'];

const profiles = await readProfiles();
const panes: Pane[] = [];
let stopListening = () => {};

const notice = el('p', { class: 'notice' }, 'Sandbox — a local stand-in for Discord, nobody real');
const picker = el('div', { class: 'picker', id: 'picker', popover: 'auto', role: 'group', 'aria-label': 'Who joins' });
const add = el('button', { class: 'add', popovertarget: 'picker' }, icon('plus'), el('span', {}, 'Add a person'));
const grid = el('main', { class: 'panes' });
const home = el('a', { href: '/', class: 'home', 'aria-label': 'Sandbox Discord' }, picture('/icon.svg', 24, 'mark'));
document.body.replaceChildren(
  el('header', { class: 'top' }, el('h1', { class: 'sr' }, 'Chat'), home, notice, add),
  picker,
  grid,
);

function wantedProfiles(): Profile[] {
  const wanted = new URLSearchParams(location.search).getAll('as');
  const known = [...new Set(wanted)].flatMap((name) => profiles.filter(({ persona }) => persona === name));
  return known.length > 0 ? known : DEFAULT_NAMES.flatMap((name) => profiles.filter(({ persona }) => persona === name));
}

function showPicker() {
  const absent = profiles.filter(({ persona }) => !panes.some(({ profile }) => profile.persona === persona));
  add.hidden = absent.length === 0;
  picker.replaceChildren(
    ...absent.map((profile) =>
      el(
        'button',
        { class: 'pick', onclick: () => join(profile) },
        picture(profile.avatar_url, 36),
        el('span', {}, el('b', {}, profile.name), el('small', {}, profile.about)),
      ),
    ),
  );
}

function showAll() {
  const query = new URLSearchParams(panes.map(({ profile }) => ['as', profile.persona]));
  history.replaceState(null, '', panes.length > 0 ? `/chat?${query}` : '/chat');
  document.title = `${panes.map(({ profile }) => profile.name).join(' & ') || 'Chat'} · Sandbox Discord`;
  grid.style.setProperty('--panes', String(Math.max(panes.length, 1)));
  showPicker();
  connect();
}

function connect() {
  stopListening();
  stopListening = listen(
    panes.map(({ profile }) => profile.persona),
    {
      onOpen: () => {
        for (const pane of panes) {
          pane.setLost(false);
          void pane.resync();
        }
      },
      onEvent: (persona, event) => panes.find(({ profile }) => profile.persona === persona)?.receive(event),
      onLost: () => {
        for (const pane of panes) pane.setLost(true);
      },
    },
  );
}

function createPaneFor(profile: Profile): Pane {
  const pane: Pane = createPane(profile, () => leave(pane));
  panes.push(pane);
  grid.append(pane.element);
  return pane;
}

function join(profile: Profile) {
  picker.hidePopover();
  const pane = createPaneFor(profile);
  showAll();
  pane.element.scrollIntoView({ inline: 'nearest' });
  pane.focus();
}

function leave(pane: Pane) {
  panes.splice(panes.indexOf(pane), 1);
  pane.element.remove();
  showAll();
  add.focus();
}

for (const profile of wantedProfiles()) createPaneFor(profile);
keepTimesFresh();
showAll();
