/** Why there is no database: one line for people, and what a tool printed. */
export class DatabaseStartError extends Error {
  name = 'DatabaseStartError';
  output;
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}
