import { Readable } from 'node:stream';
import { PATHS, ProfileOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { limitsOf } from '@satchel/contract/tiers';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Activity } from '../domain/activity.ts';
import { eraseProfile } from '../domain/erase-profile.ts';
import { exportOwnData } from '../domain/own-data.ts';
import { type ProfileRow, profileById, toProfile } from '../domain/profiles.ts';
import type { AppDeps } from './deps.ts';
import { clearSessionCookie, reportLeftover, requireViewer, signedIn } from './request.ts';

const EXPORT_RETRY_SECONDS = 10;

/** One export of an account at a time, until its last byte is sent or its reader has left. */
function createExportTurns() {
  const running = new Set<string>();
  return async function oneExport(profileId: string, begin: () => Promise<Readable>): Promise<Readable> {
    if (running.has(profileId)) {
      throw new AppError('profile.export_running', { retry_after_seconds: EXPORT_RETRY_SECONDS });
    }
    running.add(profileId);
    try {
      const stream = await begin();
      return stream.once('close', () => running.delete(profileId));
    } catch (error) {
      running.delete(profileId);
      throw error;
    }
  };
}

/** One's own account: what it is, what it holds, and its end (DESIGN §5, "Own data"). */
export function profileRoutes(deps: AppDeps, activity: Activity): FastifyPluginAsyncZod {
  const { config, database, blobs, keyShares } = deps;
  const { db } = database;
  const oneExport = createExportTurns();
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
      const viewer = requireViewer(request);
      const stream = await oneExport(viewer.profile_id, async () => {
        await activity.flush();
        return Readable.from(await exportOwnData(db, viewer));
      });
      // A reader that has left already sees no event of its own any more.
      if (reply.raw.destroyed) stream.destroy();
      const day = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="satchel-export-${day}.json"`)
        .send(stream);
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
