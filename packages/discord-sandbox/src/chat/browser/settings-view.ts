import { type Api, attempt, type Profile } from './api.ts';
import { openDialog } from './dialog.ts';
import { el, icon, picture } from './dom.ts';

type Apps = Awaited<ReturnType<Api['installations']>>;

function whereText({ targets }: Apps): string {
  const names = targets
    .filter(({ is_installed }) => is_installed)
    .map(({ kind, name }) =>
      kind === 'account' ? 'your account, so that it works wherever you are' : `the server ${name}`,
    );
  return names.length === 0 ? 'Not added anywhere that you can change.' : `Added to ${names.join(' and ')}.`;
}

/** A persona's user settings: who one is, and the application with its removal. */
export function openSettings(pane: HTMLElement, api: Api, profile: Profile): void {
  const status = el('p', { role: 'status', class: 'settings-status' });
  const where = el('p', { class: 'subtext' }, 'Loading…');
  const add = el('a', { class: 'action secondary', target: '_blank', rel: 'noopener' }, 'Add Satchel…', icon('out'));
  const remove = el('button', { type: 'button', class: 'action danger' }, 'Remove Satchel');

  const complain = (text: string) => {
    status.textContent = text;
  };
  const refresh = () =>
    attempt(async () => {
      const apps = await api.installations();
      where.textContent = whereText(apps);
      add.href = apps.add_url;
    }, complain);
  remove.addEventListener('click', () =>
    attempt(async () => {
      await api.deauthorize();
      status.textContent = 'Removed. Satchel is told of it, and ends your sessions there.';
      await refresh();
    }, complain),
  );

  const dialog = openDialog(
    pane,
    'User settings',
    el(
      'div',
      { class: 'settings-person' },
      picture(profile.avatar_url, 56),
      el(
        'div',
        {},
        el('b', {}, profile.name),
        el('p', { class: 'subtext' }, `@${profile.username} · ${profile.about}`),
      ),
    ),
    el('h3', {}, 'Authorized apps'),
    el('div', { class: 'settings-app' }, picture('/icon.svg', 40), el('div', {}, el('b', {}, 'Satchel'), where)),
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
