import { AnalyticsInput, FolderAnalytics, PATHS, RecordEventInput } from '@satchel/contract/api';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Activity } from '../../domain/activity/activity.ts';
import { folderAnalytics } from '../../domain/activity/folder-analytics.ts';
import type { AppDeps } from '../deps.ts';
import { requesterOf, requireViewer, signedIn } from '../requester.ts';

/** Views and downloads that visitors' pages report, and the figures made of them. */

const USER_AGENT_MAX = 512;
/** The names of automatic visitors. The look-behind spares Cubot, a maker of telephones. */
const CRAWLER = /(?<!cu)bot\b|crawl|spider|slurp|facebookexternalhit|[a-z]preview/i;

/** False for crawlers and for pages that a browser prefetched: a person has seen neither. */
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
        requester: requesterOf(request, config),
        stranger: { address: request.ip, userAgent },
        isVisit: isVisit(request, userAgent),
      });
      return reply.code(204).send();
    });

    app.post(
      `${PATHS.rpc}/get_folder_analytics`,
      { preValidation: signedIn, schema: { body: AnalyticsInput, response: { 200: FolderAnalytics } } },
      async (request) => {
        // Saves first, so that the figures include the visitor's own view.
        await activity.flush();
        const who = { viewer: requireViewer(request), requester: requesterOf(request, config) };
        return folderAnalytics(database.db, request.body.folder_slug, who);
      },
    );
  };
}
