import { OpenUploadList, UploadsQuery } from '@satchel/contract/open-uploads';
import { PATHS } from '@satchel/contract/paths';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { listOpenUploads } from '../domain/uploads.ts';
import type { AppDeps } from './deps.ts';
import { requireViewer, signedIn } from './request.ts';

/** The open uploads of an account, also those whose record its browser has lost. Tus termination cancels them. */
export function ownUploadRoutes({ database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      PATHS.uploads,
      { preValidation: signedIn, schema: { querystring: UploadsQuery, response: { 200: OpenUploadList } } },
      (request) => listOpenUploads(db, requireViewer(request)),
    );
  };
}
