import { AppError } from '@satchel/contract/errors';
import type { FastifyPluginAsync } from 'fastify';
import { readWebcatFile, WEBCAT_FILES } from '../../platform/site/webcat-folder.ts';
import type { AppDeps } from '../deps.ts';

/** The files of a site that its operator has enrolled in WEBCAT; 404 on all others, which says that they are not. */
export function webcatRoutes({ config }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get<{ Params: { name: string } }>('/.well-known/webcat/:name', async ({ params }, reply) => {
      const name = WEBCAT_FILES.find((known) => known === params.name);
      const text = name === undefined ? null : await readWebcatFile(config.dataDir, name);
      if (text === null) throw new AppError('request.not_found');
      return reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(text);
    });
  };
}
