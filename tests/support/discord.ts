/** The sandbox's chat for one person, without its page. */

interface ChatMessage {
  readonly id: string;
  readonly content: string;
  readonly edited_timestamp: string | null;
  readonly is_ephemeral: boolean;
  readonly state: 'sent' | 'thinking' | 'failed';
}

type CommandOptions = Readonly<Record<string, string | number | boolean>>;

export interface ChatClient {
  /** The messages that the person sees, oldest first. */
  messages(): Promise<readonly ChatMessage[]>;
  /** Resolves when the command has been answered. */
  run(name: string, options: CommandOptions): Promise<void>;
  /** The application's suggestions for an option. */
  suggestions(name: string, focused: string, typed: string): Promise<readonly { name: string; value: string }[]>;
}

/** In #general of the server with everyone but Otto. */
export function createChatClient(sandboxUrl: string, persona: string): ChatClient {
  const base = `${sandboxUrl}/chat/api/${persona}`;
  async function ask(path: string, body?: unknown): Promise<unknown> {
    const headers = { origin: sandboxUrl, 'content-type': 'application/json' };
    const post = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(base + path, body === undefined ? {} : post);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
  async function channelPath(): Promise<string> {
    const places = (await ask('/places')) as { channels: { id: string; name: string }[] }[];
    const found = places.flatMap(({ channels }) => channels).find(({ name }) => name === 'general');
    if (!found) throw new Error(`${persona} sees no #general`);
    return `/channels/${found.id}`;
  }
  return {
    async messages() {
      return (await ask(`${await channelPath()}/messages`)) as ChatMessage[];
    },
    async run(name, options) {
      await ask(`${await channelPath()}/commands`, { name, options });
    },
    async suggestions(name, focused, typed) {
      const body = { name, options: { [focused]: typed }, focused };
      return (await ask(`${await channelPath()}/autocomplete`, body)) as { name: string; value: string }[];
    },
  };
}
