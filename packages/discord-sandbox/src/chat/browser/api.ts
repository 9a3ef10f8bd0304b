import type {
  ChatEvent,
  ChatMessage,
  Choice,
  InstallTarget,
  OfferedCommand,
  OptionValues,
  Place,
} from '../chat-entities.ts';

/** What the page asks of the sandbox. */

export interface Profile {
  readonly persona: string;
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly about: string;
  readonly avatar_url: string;
}

/** A refusal in words for people. */
class ApiError extends Error {
  override readonly name = 'ApiError';
}

/** Does it, and tells of a refusal. @returns whether it was done */
export async function attempt(act: () => Promise<unknown>, tell: (refusal: string) => void): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tell(error.message);
    return false;
  }
}

async function ask(path: string, method = 'GET', body?: unknown): Promise<unknown> {
  const response = await fetch(path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError('The sandbox does not answer. Is it still running?');
  });
  if (response.status === 204) return undefined;
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok) return answer;
  const message = typeof answer === 'object' && answer !== null && 'message' in answer ? String(answer.message) : '';
  throw new ApiError(message || `The sandbox answered ${response.status}.`);
}

export const readProfiles = () => ask('/chat/api/personas') as Promise<readonly Profile[]>;

/** A command of which an option is being typed into. */
export interface TypedCommand {
  readonly name: string;
  readonly options: OptionValues;
  readonly focused: string;
}

/** The chat as one persona uses it. */
export function createApi(persona: string) {
  const base = `/chat/api/${persona}`;
  const channel = (id: string) => `${base}/channels/${id}`;
  return {
    places: () => ask(`${base}/places`) as Promise<readonly Place[]>,
    messages: (channelId: string) => ask(`${channel(channelId)}/messages`) as Promise<readonly ChatMessage[]>,
    commands: (channelId: string) => ask(`${channel(channelId)}/commands`) as Promise<readonly OfferedCommand[]>,
    say: (channelId: string, content: string) => ask(`${channel(channelId)}/messages`, 'POST', { content }),
    run: (channelId: string, name: string, options: OptionValues) =>
      ask(`${channel(channelId)}/commands`, 'POST', { name, options }),
    autocomplete: (channelId: string, typed: TypedCommand) =>
      ask(`${channel(channelId)}/autocomplete`, 'POST', typed) as Promise<readonly Choice[]>,
    click: (messageId: string, custom_id: string, values: readonly string[] = []) =>
      ask(`${base}/messages/${messageId}/clicks`, 'POST', { custom_id, values }),
    submit: (modalId: string, fields: Readonly<Record<string, string>>) =>
      ask(`${base}/modals/${modalId}`, 'POST', { fields }),
    dismiss: (messageId: string) => ask(`${base}/messages/${messageId}`, 'DELETE'),
    installations: () =>
      ask(`${base}/installations`) as Promise<{ targets: readonly InstallTarget[]; add_url: string }>,
    deauthorize: () => ask(`${base}/installations`, 'DELETE'),
  };
}
export type Api = ReturnType<typeof createApi>;

export interface LiveListener {
  /** The stream is open, or open again: the page asks for what it has missed. */
  readonly onOpen: () => void;
  readonly onEvent: (persona: string, event: ChatEvent) => void;
  readonly onLost: () => void;
}

/** One line for all personas of the page. It comes back by itself, and tells when it does. @returns what ends it */
export function listen(names: readonly string[], listener: LiveListener): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const query = new URLSearchParams(names.map((name) => ['as', name]));

  function open() {
    const opened = new EventSource(`/chat/api/events?${query}`);
    source = opened;
    opened.onopen = listener.onOpen;
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      const { persona, event } = JSON.parse(data) as { persona: string; event: ChatEvent };
      listener.onEvent(persona, event);
    };
    opened.onerror = () => {
      listener.onLost();
      // After an answer that isn't a stream the browser gives up; a sandbox that restarts gives such answers, too.
      if (opened.readyState === EventSource.CLOSED) retry = setTimeout(open, 1_000);
    };
  }
  if (names.length > 0) open();
  return () => {
    clearTimeout(retry);
    source?.close();
  };
}
