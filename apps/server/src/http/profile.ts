import { Readable } from 'node:stream';
import { PATHS, ProfileOutput } from '@satchel/contract/api';
import { limitsOf } from '@satchel/contract/tiers';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Activity } from '../domain/activity.ts';
import { eraseProfile } from '../domain/erase-profile.ts';
import { exportOwnData } from '../domain/own-data.ts';
import { type ProfileRow, profileById, toProfile } from '../domain/profiles.ts';
import type { AppDeps } from './deps.ts';
import { clearSessionCookie, reportLeftover, requireViewer, signedIn } from './request.ts';

/** One's own account: what it is, what it holds, and its end (DESIGN §5, "Own data"). */
export function profileRoutes(deps: AppDeps, activity: Activity): FastifyPluginAsyncZod {
  const { config, database, blobs, keyShares } = deps;
  const { db } = database;
  const ownProfile = (profile: ProfileRow): ProfileOutput => ({
    ...toProfile(profile),
    limits: limitsOf(config.tiers, profile.subscription_tier),
    is_operator: config.operatorDiscordIds.includes(profile.discord_id),
  });

  return async (app) => {
    app.get(PATHS.profileMe, { schema: { response: { 200: ProfileOutput } } }, async (request) =>
      ownProfile(await profileById(db, requireViewer(request).profile_id)),
    );

    app.get(PATHS.profileExport, { preValidation: signedIn }, async (request, reply) => {
      await activity.flush();
      const pieces = await exportOwnData(db, requireViewer(request));
      const day = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="satchel-export-${day}.json"`)
        .send(Readable.from(pieces));
    });

    app.delete(PATHS.profileMe, { preValidation: signedIn }, async (request, reply) => {
      const { profile_id: profileId } = requireViewer(request);
      await activity.flush();
      await eraseProfile({ db, blobs, keyShares }, profileId, reportLeftover(request));
      clearSessionCookie(reply, config);
      return reply.code(204).send();
    });
  };
}
