import type { ChatEvent, Place } from '../chat-entities.ts';
import { attempt, createApi, type Profile } from './api.ts';
import { createComposer } from './composer/composer.ts';
import { el, icon } from './dom.ts';
import type { Names } from './messages/markdown-view.ts';
import { createMessageList } from './messages/message-list.ts';
import { openModal } from './messages/modal-view.ts';
import { createPlacesView, type Spot, spotLabel } from './places-view.ts';
import { openSettings } from './settings-view.ts';

const welcomeOf = ({ place, channel }: Spot) =>
  place.kind === 'server'
    ? { title: `Welcome to #${channel.name}`, text: `This is the beginning of #${channel.name} in ${place.name}.` }
    : { title: place.name, text: `This is the beginning of your direct messages with ${place.name}.` };

/** The chat as one persona sees and uses it. */
export function createPane(profile: Profile, onClose: () => void) {
  const api = createApi(profile.persona);
  let places: readonly Place[] = [];
  let here: Spot | null = null;
  let lastQuestion = 0;

  const names: Names = {
    person: (id) => places.flatMap(({ members }) => members).find((person) => person.id === id)?.name,
    channel: (id) => places.flatMap(({ channels }) => channels).find((channel) => channel.id === id)?.name,
  };
  const placesView = createPlacesView({
    profile,
    onGo: (spot) => void go(spot).then(() => composer.focus()),
    onSettings: () => openSettings(element, api, profile),
    onClose,
  });
  const list = createMessageList({
    names,
    onClick: (messageId, customId, values) => tryTo(() => api.click(messageId, customId, values)),
    onDismiss: (messageId) => void tryTo(() => api.dismiss(messageId)),
  });
  const composer = createComposer({
    api,
    people: () => here?.place.members ?? [],
    onSent: list.toEnd,
  });
  const title = el('h2', { class: 'channel-title' });
  const lost = el('p', { class: 'lost', role: 'status' });
  const element: HTMLElement = el(
    'section',
    { class: 'pane', 'aria-label': profile.name },
    placesView.element,
    el(
      'div',
      { class: 'conversation' },
      el('header', { class: 'channel-head' }, title, lost),
      list.element,
      composer.element,
    ),
  );

  const tryTo = async (act: () => Promise<unknown>): Promise<void> => void (await attempt(act, composer.complain));

  /** Of several answers only that to the last question counts. */
  async function loadMessages() {
    lastQuestion += 1;
    const question = lastQuestion;
    const messages = here && (await api.messages(here.channel.id));
    if (messages && question === lastQuestion) list.show(messages);
  }

  async function go(spot: Spot) {
    here = spot;
    title.replaceChildren(
      icon(spot.place.kind === 'server' ? 'hash' : 'at'),
      spot.place.kind === 'server' ? spot.channel.name : spot.place.name,
    );
    list.start(`Messages in ${spotLabel(spot)}`, welcomeOf(spot));
    placesView.show(places, spot);
    await tryTo(() => Promise.all([composer.start(spot.channel.id, spotLabel(spot)), loadMessages()]));
  }

  /** The same channel as before, or the first of the first server. */
  function spotNow(): Spot | null {
    for (const place of places) {
      const channel = place.channels.find(({ id }) => id === here?.channel.id);
      if (channel !== undefined) return { place, channel };
    }
    const place = places.find(({ kind }) => kind === 'server') ?? places[0];
    const channel = place?.channels[0];
    return place === undefined || channel === undefined ? null : { place, channel };
  }

  return {
    profile,
    element,
    /** Asks again for all that it shows: at first, and whenever the line was down. */
    resync: () =>
      tryTo(async () => {
        places = await api.places();
        const spot = spotNow();
        if (spot === null) return;
        if (here?.channel.id !== spot.channel.id) return go(spot);
        placesView.show(places, spot);
        await loadMessages();
      }),
    receive(event: ChatEvent) {
      if (event.kind === 'modal') {
        openModal(element, event.modal, api);
      } else if (event.kind === 'failure') {
        if (event.message_id !== null) list.fail(event.message_id, event.text);
        else composer.complain(event.text);
      } else if (here?.channel.id === (event.kind === 'message' ? event.message.channel_id : event.channel_id)) {
        void tryTo(loadMessages);
      }
    },
    /** Says whether what it shows may be old. */
    setLost(isLost: boolean) {
      lost.textContent = isLost ? 'Reconnecting…' : '';
    },
    focus: () => composer.focus(),
  };
}

export type Pane = ReturnType<typeof createPane>;
