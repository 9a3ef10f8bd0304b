import { createWebFile, type WebFiles } from '../../src/http/web/web-files.ts';

/** A built web application that consists of its page alone. */
export const webOf = (page = '<p>'): WebFiles => ({
  page: createWebFile('index.html', Buffer.from(page)),
  files: new Map(),
});
