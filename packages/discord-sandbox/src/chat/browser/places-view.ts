import type { Author, Channel, Place } from '../chat-entities.ts';
import type { Profile } from './api.ts';
import { el, icon, iconButton, picture } from './dom.ts';

/** Where a person can be: servers and private chats at the left, the channels of one of them beside. */

export interface Spot {
  readonly place: Place;
  readonly channel: Channel;
}

export interface PlacesDeps {
  readonly profile: Profile;
  readonly onGo: (spot: Spot) => void;
  readonly onSettings: () => void;
  readonly onClose: () => void;
}

const initials = (name: string) => [...name.matchAll(/\b\w/g)].join('');
const isServer = ({ kind }: Place) => kind === 'server';

/** "#general" in a server, "@Satchel" in a direct message. */
export const spotLabel = ({ place, channel }: Spot) => (isServer(place) ? `#${channel.name}` : `@${place.name}`);

const memberView = ({ name, avatar_url, is_bot }: Author) =>
  el('li', {}, picture(avatar_url, 24), el('span', {}, name), is_bot && el('span', { class: 'app-badge' }, 'APP'));

export function createPlacesView({ profile, onGo, onSettings, onClose }: PlacesDeps) {
  const rail = el('nav', { class: 'rail', 'aria-label': `Servers and direct messages of ${profile.name}` });
  const placeName = el('h2', { class: 'place-name' });
  const channelList = el('ul', { class: 'channel-list' });
  const members = el('ul', { class: 'members' });
  const me = el(
    'div',
    { class: 'me' },
    picture(profile.avatar_url, 32),
    el('b', { class: 'me-name' }, profile.name),
    iconButton('User settings', 'gear', onSettings),
    iconButton(`Close ${profile.name}`, 'cross', onClose),
  );
  const channels = el(
    'nav',
    { class: 'channels', 'aria-label': `Channels of ${profile.name}` },
    placeName,
    channelList,
    el('h3', { class: 'members-title' }, 'People'),
    members,
    me,
  );

  function railButton(place: Place, isHere: boolean) {
    const [channel] = place.channels;
    // In a direct message the place is a person: the other one.
    const other = isServer(place) ? undefined : place.members.find(({ id }) => id !== profile.id);
    return el(
      'button',
      {
        class: other === undefined ? 'place server' : 'place',
        'aria-label': place.name,
        'aria-current': isHere ? 'true' : undefined,
        title: place.name,
        onclick: () => channel && onGo({ place, channel }),
      },
      other === undefined ? initials(place.name) : picture(other.avatar_url, 40),
    );
  }

  function channelItem(spot: Spot, isHere: boolean) {
    const shape = isServer(spot.place) ? 'hash' : 'at';
    const attributes = { class: 'channel', 'aria-current': isHere ? 'true' : undefined, onclick: () => onGo(spot) };
    const name = el('span', { class: 'channel-name' }, spot.channel.name);
    return el('li', {}, el('button', { ...attributes }, icon(shape), name));
  }

  return {
    element: el('div', { class: 'places' }, rail, channels),
    show(places: readonly Place[], { place: here, channel }: Spot) {
      const focused = rail.contains(document.activeElement) ? document.activeElement?.ariaLabel : undefined;
      const inOrder = [...places.filter((place) => !isServer(place)), ...places.filter(isServer)];
      rail.replaceChildren(...inOrder.map((place) => railButton(place, place.id === here.id)));
      for (const button of rail.querySelectorAll('button')) if (button.ariaLabel === focused) button.focus();
      placeName.textContent = isServer(here) ? here.name : 'Direct message';
      channelList.replaceChildren(
        ...here.channels.map((one) => channelItem({ place: here, channel: one }, one.id === channel.id)),
      );
      members.replaceChildren(...here.members.map(memberView));
    },
  };
}
