import type { ChatEvent, Place } from '../chat-entities.ts';
import { attempt, createApi, type Profile } from './api.ts';
import { createComposer } from './composer/composer.ts';
import { applyEvent, type ChannelLog, emptyLog, forgetFailure, logFrom } from './messages/channel-log.ts';
import type { Names } from './messages/markdown-view.ts';
import { createMessageList } from './messages/message-list.ts';
import { openModal } from './messages/modal-view.ts';
import { createPaneFrame } from './pane-frame.ts';
import { createPlacesView, type Spot, spotLabel } from './places-view.ts';
import { openSettings } from './settings-view.ts';

export interface PaneDeps {
  readonly profile: Profile;
  readonly onClose: () => void;
  readonly onNews: () => void;
  readonly onCommand: () => void;
}

/** Events that may come before the answer that holds them already. */
const MAX_HEARD = 200;
/** A modal that opens this long after the click was answered is still the click's. */
const OPENS_WITHIN_MS = 3_000;

const welcomeOf = ({ place, channel }: Spot) =>
  place.kind === 'server'
    ? { title: `Welcome to #${channel.name}`, text: `This is the beginning of #${channel.name} in ${place.name}.` }
    : { title: place.name, text: `This is the beginning of your direct messages with ${place.name}.` };

/** The chat as one persona sees and uses it. */
export function createPane({ profile, onClose, onNews, onCommand }: PaneDeps) {
  const api = createApi(profile.persona);
  let places: readonly Place[] = [];
  let here: Spot | null = null;
  let log: ChannelLog = emptyLog;
  let heard: { event: ChatEvent; seq: number }[] = [];
  let underWay = 0;
  let lastAnswerAt = 0;
  const unread = new Set<string>();
  const busy = new Set<string>();

  const names: Names = {
    person: (id) => places.flatMap(({ members }) => members).find((person) => person.id === id)?.name,
    channel: (id) => places.flatMap(({ channels }) => channels).find((channel) => channel.id === id)?.name,
  };
  const people = () => here?.place.members ?? [];
  const placesView = createPlacesView({
    profile,
    onGo: (spot) => {
      frame.closeDrawer();
      void go(spot).then(() => composer.focus());
    },
    onSettings: () => openSettings(frame.element, api, profile),
    onClose,
  });
  const list = createMessageList({
    names,
    isBusy: (messageId, customId) => busy.has(`${messageId} ${customId}`),
    onClick: (messageId, customId, values) => void click(messageId, customId, values),
    onDismiss: (messageId) => void tryTo(() => api.dismiss(messageId)),
  });
  const composer = createComposer({
    api,
    people,
    runCommand: async (channelId, name, options) => {
      onCommand();
      await interact(() => api.run(channelId, name, options));
    },
    onSent: list.toEnd,
  });
  const frame = createPaneFrame({ profile, places: placesView.element, log: list.element, composer: composer.element });

  const tryTo = (act: () => Promise<unknown>) => attempt(act, composer.complain);

  /** While it is under way, and a moment longer, what opens is meant for this page. */
  async function interact(act: () => Promise<unknown>) {
    underWay += 1;
    try {
      return await act();
    } finally {
      underWay -= 1;
      lastAnswerAt = Date.now();
    }
  }

  async function click(messageId: string, customId: string, values?: readonly string[]) {
    const key = `${messageId} ${customId}`;
    log = forgetFailure(log, messageId);
    list.show(log);
    busy.add(key);
    list.refresh(messageId);
    await tryTo(() => interact(() => api.click(messageId, customId, values)));
    busy.delete(key);
    list.refresh(messageId);
  }

  const showPlaces = () => here && placesView.show(places, here, unread);

  async function loadMessages(channelId: string) {
    const snapshot = await api.messages(channelId);
    if (here?.channel.id !== channelId) return;
    log = logFrom(snapshot, channelId, heard, log.failures);
    list.show(log);
  }

  async function go(spot: Spot) {
    here = spot;
    unread.delete(spot.channel.id);
    log = emptyLog;
    frame.showSpot(spot);
    list.start(`Messages in ${spotLabel(spot)}`, welcomeOf(spot));
    showPlaces();
    await tryTo(async () => {
      await Promise.all([composer.start(spot.channel.id, spotLabel(spot)), loadMessages(spot.channel.id)]);
    });
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

  function noteUnread(event: ChatEvent) {
    if (event.kind !== 'message' || event.message.edited_timestamp !== null) return;
    if (event.message.author.id !== profile.id) onNews();
    if (event.message.channel_id === here?.channel.id) return;
    unread.add(event.message.channel_id);
    showPlaces();
  }

  function tell(event: ChatEvent) {
    const isOurs = underWay > 0 || Date.now() - lastAnswerAt < OPENS_WITHIN_MS;
    if (event.kind === 'modal' && isOurs) {
      openModal(frame.element, event.modal, { submit: (id, fields) => interact(() => api.submit(id, fields)) });
    }
    if (event.kind === 'failure' && event.message_id === null && isOurs) composer.complain(event.text);
  }

  return {
    profile,
    element: frame.element,
    /** Asks anew for all that it shows: at first, and whenever the line was down. */
    resync: () =>
      tryTo(async () => {
        // What was heard on a line that broke is in the answers to come; a sandbox that started anew counts from nothing.
        heard = [];
        places = await api.places();
        const spot = spotNow();
        if (spot === null) return;
        if (here?.channel.id !== spot.channel.id) return go(spot);
        here = spot;
        showPlaces();
        await loadMessages(spot.channel.id);
      }),
    receive(event: ChatEvent, seq: number) {
      heard = [...heard.slice(-MAX_HEARD), { event, seq }];
      if (here !== null) {
        const next = applyEvent(log, here.channel.id, event);
        if (next !== log) list.show(next);
        log = next;
      }
      noteUnread(event);
      tell(event);
    },
    /** Says whether what it shows may be old. */
    setLost: frame.setLost,
    focus: () => composer.focus(),
    hint: frame.hint,
  };
}

export type Pane = ReturnType<typeof createPane>;
