import { Readable } from 'node:stream';
import { PATHS, ProfileOutput } from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { OpenUploadList, UploadsQuery } from '@satchel/contract/open-uploads';
import { limitsOf } from '@satchel/contract/tiers';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type ProfileRow, profileById, toProfile } from '../../domain/accounts/profiles.ts';
import type { Activity } from '../../domain/activity/activity.ts';
import { exportOwnData } from '../../domain/own-data.ts';
import { deleteProfile } from '../../domain/removal/delete-profile.ts';
import { listOpenUploads } from '../../domain/uploads/uploads.ts';
import { PROGRAM, programText } from '../../program.ts';
import { clearSessionCookie } from '../cookies.ts';
import type { AppDeps } from '../deps.ts';
import { reportLeftover } from '../errors.ts';
import { requireViewer, signedIn } from '../requester.ts';

const EXPORT_RETRY_SECONDS = 10;

/** One export of an account at a time, until its last byte is sent or its reader leaves. */
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

/** One's own account: its data, its folders, its export and its deletion. */
export function profileRoutes(deps: AppDeps, activity: Activity): FastifyPluginAsyncZod {
  const { config, database, blobs, keyShares } = deps;
  const { db } = database;
  const oneExport = createExportTurns();
  const ownProfile = (profile: ProfileRow): ProfileOutput => {
    const is_operator = config.operatorDiscordIds.includes(profile.discord_id);
    return {
      ...toProfile(profile),
      limits: limitsOf(config.tiers, profile.subscription_tier),
      is_operator,
      program: is_operator ? programText(PROGRAM) : null,
    };
  };

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
      // A reader that left earlier triggers no 'close' event any more.
      if (reply.raw.destroyed) stream.destroy();
      const day = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
      return reply
        .type('application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="satchel-export-${day}.json"`)
        .send(stream);
    });

    // Lists open uploads, also uploads that the browser lost track of; tus termination cancels them.
    app.get(
      PATHS.uploads,
      { preValidation: signedIn, schema: { querystring: UploadsQuery, response: { 200: OpenUploadList } } },
      (request) => listOpenUploads(db, requireViewer(request)),
    );

    app.delete(PATHS.profileMe, { preValidation: signedIn }, async (request, reply) => {
      const { profile_id: profileId } = requireViewer(request);
      await activity.flush();
      await deleteProfile({ db, blobs, keyShares }, profileId, reportLeftover(request));
      clearSessionCookie(reply, config);
      return reply.code(204).send();
    });
  };
}
