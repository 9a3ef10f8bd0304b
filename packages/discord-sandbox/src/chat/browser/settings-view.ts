import { type Api, attempt, type Profile } from './api.ts';
import { openDialog } from './dialog.ts';
import { el, icon, picture } from './dom.ts';

/** A persona's user settings: who one is, and the application with its removal. */
export function openSettings(pane: HTMLElement, api: Api, profile: Profile): void {
  const status = el('p', { role: 'status', class: 'settings-status' });
  const where = el('p', { class: 'subtext' }, 'Loading…');
  const add = el('a', { class: 'action', target: '_blank', rel: 'noopener' }, 'Add Satchel…', icon('out'));
  const remove = el('button', { class: 'action danger' }, 'Remove Satchel');

  const tell = (text: string) => {
    status.textContent = text;
  };
  const refresh = () =>
    attempt(async () => {
      const { targets, add_url } = await api.installations();
      const names = targets
        .filter(({ is_installed }) => is_installed)
        .map(({ kind, name }) => (kind === 'account' ? 'your account' : `the server ${name}`));
      where.textContent = names.length === 0 ? 'Not added by you.' : `Added to ${names.join(' and ')}.`;
      add.href = add_url;
    }, tell);
  remove.addEventListener('click', () =>
    attempt(async () => {
      await api.deauthorize();
      tell('Removed. Satchel is told of it, and ends your sessions there.');
      await refresh();
    }, tell),
  );

  const dialog = openDialog(
    pane,
    'User settings',
    el(
      'div',
      { class: 'settings-part' },
      picture(profile.avatar_url, 40),
      el(
        'div',
        {},
        el('b', {}, profile.name),
        el('p', { class: 'subtext' }, `@${profile.username} · ${profile.about}`),
      ),
    ),
    el('h3', {}, 'Authorized apps'),
    el('div', { class: 'settings-part' }, picture('/icon.svg', 40), el('div', {}, el('b', {}, 'Satchel'), where)),
    el(
      'p',
      { class: 'subtext' },
      'Removing it takes it off your account and ends what you allowed it: Discord tells the app, which signs you out.',
    ),
    el('div', { class: 'modal-acts' }, add, remove),
    status,
  );
  // What was added in the other tab shows up on coming back.
  const onFocus = () => void refresh();
  window.addEventListener('focus', onFocus);
  dialog.addEventListener('close', () => window.removeEventListener('focus', onFocus));
  void refresh();
}
