import type { Profile } from './api.ts';
import { el, icon, picture } from './dom.ts';
import type { Spot } from './places-view.ts';

export interface PaneFrameParts {
  readonly profile: Profile;
  readonly places: HTMLElement;
  readonly log: HTMLElement;
  readonly composer: HTMLElement;
}

/** Opens and closes the drawer with the places; Escape in it goes back to its button. */
function createDrawer(pane: () => HTMLElement, places: HTMLElement) {
  const attributes = { type: 'button', class: 'icon-button drawer-button', 'aria-label': 'Servers and channels' };
  const button = el('button', { ...attributes, 'aria-expanded': 'false' }, icon('menu'));
  const isOpen = () => pane().classList.contains('drawer-open');
  function set(wanted: boolean) {
    pane().classList.toggle('drawer-open', wanted);
    button.setAttribute('aria-expanded', String(wanted));
  }
  button.addEventListener('click', () => set(!isOpen()));
  places.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isOpen()) return;
    set(false);
    button.focus();
  });
  return { button, close: () => set(false) };
}

/** A pane around its parts: where it is, and what there is to say of the pane itself. */
export function createPaneFrame({ profile, places, log, composer }: PaneFrameParts) {
  const title = el('h2', { class: 'channel-title' });
  const lost = el('p', { class: 'lost', role: 'status' });
  const whoAmI = el('p', { class: 'who-am-i' }, picture(profile.avatar_url, 22), profile.name);
  const hints = el('div', { class: 'hints' });
  const drawer = createDrawer(() => element, places);
  const element: HTMLElement = el(
    'section',
    { class: 'pane', 'aria-label': profile.name },
    places,
    el('div', { class: 'shade', onclick: drawer.close }),
    el(
      'div',
      { class: 'conversation' },
      el('header', { class: 'channel-head' }, drawer.button, title, lost, whoAmI),
      log,
      hints,
      composer,
    ),
  );

  return {
    element,
    showSpot({ place, channel }: Spot) {
      const isServer = place.kind === 'server';
      title.replaceChildren(icon(isServer ? 'hash' : 'at'), isServer ? channel.name : place.name);
    },
    /** In a narrow pane the places are a drawer. */
    closeDrawer: drawer.close,
    setLost(isLost: boolean) {
      lost.textContent = isLost ? 'Reconnecting…' : '';
    },
    hint: (view: HTMLElement) => hints.replaceChildren(view),
  };
}
