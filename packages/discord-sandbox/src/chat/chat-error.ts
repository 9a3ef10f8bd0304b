/** What somebody asked of the chat that they can't do there. Its text is for people. */
export class ChatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ChatError';
  }
}
