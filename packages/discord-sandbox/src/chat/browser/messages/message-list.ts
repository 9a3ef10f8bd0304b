import type { ChatMessage } from '../../chat-entities.ts';
import { el } from '../dom.ts';
import { type MessageContext, messageView } from './message-view.ts';

export interface MessageListDeps {
  readonly names: MessageContext['names'];
  readonly onClick: (messageId: string, customId: string, values?: readonly string[]) => Promise<void>;
  readonly onDismiss: (messageId: string) => void;
}

const NEAR_END_PX = 80;

/** The messages of one channel. Only what changed is made again, so that focus and reading place stay. */
export function createMessageList({ names, onClick, onDismiss }: MessageListDeps) {
  const items = el('div', { class: 'messages' });
  const element = el('div', { class: 'log', role: 'log', tabindex: 0 }, items);
  let welcomeView: HTMLElement = el('div');
  let shown = new Map<string, { readonly key: string; readonly element: HTMLElement }>();
  let messages: readonly ChatMessage[] = [];
  let isAtEnd = true;
  const busy = new Set<string>();
  /** What came of clicks that came to nothing, by the message that was clicked on. */
  const failures = new Map<string, string>();

  element.addEventListener('scroll', () => {
    isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
  });
  const toEnd = () => {
    element.scrollTop = element.scrollHeight;
  };
  // Pictures have no height until they are there.
  items.addEventListener('load', () => isAtEnd && toEnd(), { capture: true });
  new ResizeObserver(() => isAtEnd && toEnd()).observe(element);

  const contextOf = ({ id }: ChatMessage): MessageContext => ({
    names,
    failure: failures.get(id),
    isBusy: (customId) => busy.has(`${id} ${customId}`),
    onClick: (customId, values) => void click(id, customId, values),
    onDismiss: () => onDismiss(id),
  });

  function draw() {
    const focused = document.activeElement;
    const customId = focused instanceof HTMLElement ? focused.dataset.customId : undefined;
    const messageId = focused?.closest<HTMLElement>('[data-id]')?.dataset.id ?? '';
    shown = new Map(
      messages.map((message) => {
        const { id } = message;
        const key = JSON.stringify([message, failures.get(id), [...busy].filter((one) => one.startsWith(id))]);
        const known = shown.get(id);
        return [id, known?.key === key ? known : { key, element: messageView(message, contextOf(message)) }];
      }),
    );
    items.replaceChildren(welcomeView, ...[...shown.values()].map((one) => one.element));
    // What is put in again loses the focus; what is drawn again is another element.
    const inMessage = shown.get(messageId)?.element;
    const twin = customId === undefined ? null : inMessage?.querySelector(`[data-custom-id="${CSS.escape(customId)}"]`);
    const target = focused?.isConnected && items.contains(focused) ? focused : (twin ?? inMessage);
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    if (isAtEnd) toEnd();
  }

  async function click(id: string, customId: string, values?: readonly string[]) {
    const key = `${id} ${customId}`;
    failures.delete(id);
    busy.add(key);
    draw();
    await onClick(id, customId, values);
    busy.delete(key);
    draw();
  }

  return {
    element,
    /** Another channel: nothing of it counts as new. */
    start(label: string, welcome: { title: string; text: string }) {
      element.setAttribute('aria-label', label);
      isAtEnd = true;
      messages = [];
      welcomeView = el('div', { class: 'welcome' }, el('h3', {}, welcome.title), el('p', {}, welcome.text));
      draw();
    },
    show(next: readonly ChatMessage[]) {
      messages = next;
      draw();
    },
    fail(messageId: string, text: string) {
      failures.set(messageId, text);
      draw();
    },
    toEnd,
  };
}
