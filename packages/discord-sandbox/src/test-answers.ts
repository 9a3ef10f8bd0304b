import type { FastifyInstance } from 'fastify';
import { checkAnswer } from './schema/check.ts';

// What OAuth 2 answers is of its own RFC, and not of Discord's schema.
const IS_OF_API = /^\/api\/(?!(v10\/)?oauth2\/)/;

/**
 * Holds every answer of the API to Discord's published schema. A problem is thrown where it fails the test run, for
 * every caller, whatever the caller does with the answer.
 */
export function holdToSchema(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const [path = ''] = request.url.split('?', 1);
    if (!IS_OF_API.test(path)) return;
    const text = payload === undefined || payload === null ? '' : String(payload);
    const problems = checkAnswer(request.method, path, reply.statusCode, text === '' ? null : JSON.parse(text));
    if (problems.length === 0) return;
    const said = `${request.method} ${path} → ${reply.statusCode}\n${problems.join('\n')}\n${text}`;
    queueMicrotask(() => {
      throw new Error(`Discord would not answer like this: ${said}`);
    });
  });
}
