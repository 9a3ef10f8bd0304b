import type { Channel, Place } from '../chat-entities.ts';
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

const initials = (name: string) =>
  name
    .split(/\s+/)
    .map((word) => word[0] ?? '')
    .join('')
    .slice(0, 3);

/** In a direct message the place is a person: the other one. */
const otherIn = (place: Place, profile: Profile) => place.members.find(({ id }) => id !== profile.id);

/** "#general" in a server, "@Satchel" in a direct message. */
export const spotLabel = ({ place, channel }: Spot) =>
  place.kind === 'server' ? `#${channel.name}` : `@${place.name}`;

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

  const go = (place: Place, channel = place.channels[0]) => channel && onGo({ place, channel });

  function railButton(place: Place, here: Spot) {
    const other = place.kind === 'server' ? undefined : otherIn(place, profile);
    const isHere = place.id === here.place.id;
    return el(
      'button',
      {
        type: 'button',
        class: place.kind === 'server' ? 'place server' : 'place',
        'aria-label': place.name,
        'aria-current': isHere ? 'true' : undefined,
        title: place.name,
        onclick: () => go(place),
      },
      other === undefined ? el('span', { 'aria-hidden': 'true' }, initials(place.name)) : picture(other.avatar_url, 40),
    );
  }

  function channelItem(spot: Spot, isHere: boolean) {
    return el(
      'li',
      {},
      el(
        'button',
        { type: 'button', class: 'channel', 'aria-current': isHere ? 'true' : undefined, onclick: () => onGo(spot) },
        icon(spot.place.kind === 'server' ? 'hash' : 'at'),
        el('span', { class: 'channel-name' }, spot.channel.name),
      ),
    );
  }

  return {
    element: el('div', { class: 'places' }, rail, channels),
    show(places: readonly Place[], here: Spot) {
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.title : '';
      const isFocusInRail = rail.contains(document.activeElement);
      const direct = places.filter(({ kind }) => kind !== 'server');
      const servers = places.filter(({ kind }) => kind === 'server');
      rail.replaceChildren(
        ...direct.map((place) => railButton(place, here)),
        el('hr'),
        ...servers.map((place) => railButton(place, here)),
      );
      if (isFocusInRail) [...rail.querySelectorAll('button')].find(({ title }) => title === focused)?.focus();
      placeName.textContent = here.place.kind === 'server' ? here.place.name : 'Direct message';
      channelList.replaceChildren(
        ...here.place.channels.map((channel) =>
          channelItem({ place: here.place, channel }, channel.id === here.channel.id),
        ),
      );
      members.replaceChildren(
        ...here.place.members.map(({ name, avatar_url, is_bot }) =>
          el(
            'li',
            {},
            picture(avatar_url, 24),
            el('span', {}, name),
            is_bot && el('span', { class: 'app-badge' }, 'APP'),
          ),
        ),
      );
    },
  };
}
