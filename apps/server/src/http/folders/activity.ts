import { AnalyticsInput, FolderAnalytics, PATHS, RecordEventInput } from '@satchel/contract/api';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Activity } from '../domain/activity.ts';
import { folderAnalytics } from '../domain/folder-analytics.ts';
import type { AppDeps } from './deps.ts';
import { entrantOf, requireViewer, signedIn } from './request.ts';

/** What visitors' pages tell of views and downloads, and the figures that come of it (DESIGN R7). */

const USER_AGENT_MAX = 512;
/** How automatic visitors name themselves; the look-behind lets a maker of telephones pass. */
const CRAWLER = /(?<!cu)bot\b|crawl|spider|slurp|facebookexternalhit|[a-z]preview/i;

/** A page that a browser fetches ahead, or that a crawler renders, has been seen by nobody. */
function isVisit({ headers }: FastifyRequest, userAgent: string): boolean {
  return !/prefetch|prerender/i.test(`${headers['sec-purpose']} ${headers.purpose}`) && !CRAWLER.test(userAgent);
}

export function activityRoutes({ config, database }: AppDeps, activity: Activity): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(`${PATHS.rpc}/record_folder_event`, { schema: { body: RecordEventInput } }, async (request, reply) => {
      const userAgent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX);
      await activity.record({
        slug: request.body.folder_slug,
        kind: request.body.kind,
        viewer: request.viewer,
        entrant: entrantOf(request, config),
        stranger: { address: request.ip, userAgent },
        isVisit: isVisit(request, userAgent),
      });
      return reply.code(204).send();
    });

    app.post(
      `${PATHS.rpc}/get_folder_analytics`,
      { preValidation: signedIn, schema: { body: AnalyticsInput, response: { 200: FolderAnalytics } } },
      async (request) => {
        // Whoever has just been counted finds themselves in the figures.
        await activity.flush();
        const who = { viewer: requireViewer(request), entrant: entrantOf(request, config) };
        return folderAnalytics(database.db, request.body.folder_slug, who);
      },
    );
  };
}
