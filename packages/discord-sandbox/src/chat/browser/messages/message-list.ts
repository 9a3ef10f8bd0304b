import type { ChatMessage } from '../../chat-entities.ts';
import { el } from '../dom.ts';
import { type ChannelLog, continuesFrom } from './channel-log.ts';
import type { MessageContext } from './message-view.ts';
import { messageView } from './message-view.ts';

export interface MessageListDeps {
  readonly names: MessageContext['names'];
  readonly isBusy: (messageId: string, customId: string) => boolean;
  readonly onClick: (messageId: string, customId: string, values?: readonly string[]) => void;
  readonly onDismiss: (messageId: string) => void;
}

interface Shown {
  readonly message: ChatMessage;
  readonly key: string;
  readonly element: HTMLElement;
}

const NEAR_END_PX = 80;

/** Where the focus was in a message that is drawn anew: a button of the same custom_id, or the message itself. */
function moveFocus(from: HTMLElement, to: HTMLElement) {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !from.contains(focused)) return undefined;
  const id = focused.dataset.customId;
  return () => {
    const twin = id === undefined ? null : to.querySelector<HTMLElement>(`[data-custom-id="${CSS.escape(id)}"]`);
    (twin ?? to).focus({ preventScroll: true });
  };
}

/** The messages of one channel. Only what changed is made anew, so that focus and reading place stay. */
export function createMessageList(deps: MessageListDeps) {
  const items = el('div', { class: 'messages' });
  const element = el('div', { class: 'log', role: 'log', tabindex: 0 }, items);
  let welcomeView: HTMLElement = el('div');
  let shown: Shown[] = [];
  let log: ChannelLog = { messages: [], failures: {} };
  let isAtEnd = true;

  element.addEventListener('scroll', () => {
    isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
  });
  const toEnd = () => {
    element.scrollTop = element.scrollHeight;
  };
  // Pictures have no height until they are there.
  items.addEventListener('load', () => isAtEnd && toEnd(), { capture: true });
  new ResizeObserver(() => isAtEnd && toEnd()).observe(element);

  const contextOf = (message: ChatMessage, isContinued: boolean): MessageContext => ({
    names: deps.names,
    isContinued,
    failure: log.failures[message.id],
    isBusy: (customId) => deps.isBusy(message.id, customId),
    onClick: (customId, values) => deps.onClick(message.id, customId, values),
    onDismiss: () => deps.onDismiss(message.id),
  });

  function draw(
    message: ChatMessage,
    before: ChatMessage | undefined,
    known: Shown | undefined,
    isForced: boolean,
  ): Shown {
    const isContinued = continuesFrom(before, message);
    const key = `${isContinued} ${log.failures[message.id] ?? ''}`;
    if (!isForced && known?.message === message && known.key === key) return known;
    return { message, key, element: messageView(message, contextOf(message, isContinued)) };
  }

  function show(next: ChannelLog, forcedId?: string) {
    log = next;
    const known = new Map(shown.map((item) => [item.message.id, item]));
    const drawn = log.messages.map((message, position) =>
      draw(message, log.messages[position - 1], known.get(message.id), message.id === forcedId),
    );
    const restorers = drawn.map((item) => {
      const old = known.get(item.message.id);
      known.delete(item.message.id);
      if (old === undefined || old.element === item.element) return undefined;
      const restore = moveFocus(old.element, item.element);
      old.element.replaceWith(item.element);
      return restore;
    });
    for (const { element: gone } of known.values()) {
      if (gone.contains(document.activeElement)) element.focus({ preventScroll: true });
      gone.remove();
    }
    let previous: Element = welcomeView;
    for (const { element: item } of drawn) {
      if (previous.nextElementSibling !== item) previous.after(item);
      previous = item;
    }
    shown = drawn;
    for (const restore of restorers) restore?.();
    if (isAtEnd) toEnd();
  }

  return {
    element,
    /** Another channel: nothing of it counts as new. */
    start(label: string, welcome: { title: string; text: string }) {
      element.setAttribute('aria-label', label);
      shown = [];
      isAtEnd = true;
      welcomeView = el('div', { class: 'welcome' }, el('h3', {}, welcome.title), el('p', {}, welcome.text));
      items.replaceChildren(welcomeView);
    },
    show: (next: ChannelLog) => show(next),
    /** Draws one message anew, for what changed beside it. */
    refresh: (messageId: string) => show(log, messageId),
    toEnd,
  };
}
