import type { Author, OfferedCommand, OptionValues } from '../../chat-entities.ts';
import { type Api, attempt } from '../api.ts';
import { el, icon, picture } from '../dom.ts';
import { createListbox } from '../listbox.ts';
import { createCommandLine } from './command-line.ts';
import { type Draft, type DraftAction, emptyDraft, offered, reduceDraft } from './slash.ts';

export interface ComposerDeps {
  readonly api: Api;
  readonly people: () => readonly Author[];
  readonly onSent: () => void;
}

const BOT_AVATAR = '/icon.svg';

/** Where one writes: words, or a command of this place with its options. */
export function createComposer(deps: ComposerDeps) {
  let channelId = '';
  let commands: readonly OfferedCommand[] = [];
  let draft: Draft = emptyDraft;

  const words = el('textarea', {
    class: 'words',
    rows: 1,
    autocomplete: 'off',
    maxlength: 2000,
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
  });
  const menu = createListbox(() => words);
  words.setAttribute('aria-controls', menu.id);
  const complaint = el('p', { class: 'complaint', role: 'alert' });
  const send = el('button', { class: 'send', 'aria-label': 'Send' }, icon('send'));
  const line = createCommandLine({
    autocomplete: (typed) => deps.api.autocomplete(channelId, typed),
    people: deps.people,
    dispatch,
    onSubmit: submitCommand,
    onLeave: (text) => {
      dispatch({ kind: 'typed', text });
      words.focus();
    },
  });
  const box = el('div', { class: 'box' }, words, line.element, send);
  const element = el('div', { class: 'composer' }, menu.element, line.suggestions, box, complaint);

  const complain = (text: string) => {
    complaint.textContent = text;
  };

  /** Grows with what is in it. */
  function fit() {
    words.style.setProperty('height', 'auto');
    // In a pane that is not shown nothing has a height: there its one row stays.
    if (words.scrollHeight > 0) words.style.setProperty('height', `${Math.min(words.scrollHeight, 160)}px`);
  }

  function showMenu() {
    const found = offered(draft, commands);
    if (found.length === 0) return menu.close();
    const items = found.map((command) => ({
      label: `/${command.name}`,
      detail: command.description,
      mark: picture(BOT_AVATAR, 24),
      onPick: () => dispatch({ kind: 'picked', command }),
    }));
    menu.show('Commands', items, { active: 0 });
  }

  function dispatch(action: DraftAction) {
    const before = draft;
    draft = reduceDraft(draft, action);
    complain('');
    const isCommand = draft.kind === 'command';
    words.hidden = isCommand;
    if (draft.kind === 'words') {
      if (words.value !== draft.text) words.value = draft.text;
      if (before.kind === 'command') line.close();
      fit();
    } else if (before.kind === 'words' || before.command !== draft.command) {
      line.open(draft);
    } else {
      line.update(draft);
    }
    showMenu();
  }

  /** Commands come and go while a page is open: an application is added, or registers again. */
  async function loadCommands() {
    const askedFor = channelId;
    await attempt(async () => {
      const found = await deps.api.commands(askedFor);
      if (channelId !== askedFor) return;
      commands = found;
      if (document.activeElement === words) showMenu();
    }, complain);
  }

  async function sendWords() {
    const text = words.value.trim();
    if (text === '') return;
    if (await attempt(() => deps.api.say(channelId, text), complain)) {
      dispatch({ kind: 'typed', text: '' });
      deps.onSent();
    }
  }

  async function submitCommand(options: OptionValues) {
    if (draft.kind !== 'command') return;
    const { name } = draft.command;
    dispatch({ kind: 'typed', text: '' });
    words.focus();
    deps.onSent();
    await attempt(() => deps.api.run(channelId, name, options), complain);
  }

  words.addEventListener('input', () => {
    dispatch({ kind: 'typed', text: words.value });
    if (words.value === '/') void loadCommands();
  });
  words.addEventListener('blur', () => menu.close());
  words.addEventListener('focus', showMenu);
  words.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const isOpen = menu.isOpen();
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      menu.move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (isOpen && (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey))) {
      event.preventDefault();
      menu.pick();
    } else if (isOpen && event.key === 'Escape') {
      event.preventDefault();
      menu.close();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void sendWords();
    }
  });
  send.addEventListener('click', () => {
    if (draft.kind === 'command') line.submit();
    else void sendWords();
  });

  return {
    element,
    /** Another channel: what was begun in the one before is dropped. */
    async start(nextId: string, label: string) {
      channelId = nextId;
      commands = [];
      words.setAttribute('aria-label', `Message ${label}`);
      words.placeholder = `Message ${label}`;
      dispatch({ kind: 'typed', text: '' });
      await loadCommands();
    },
    focus: () => words.focus(),
    complain,
  };
}
