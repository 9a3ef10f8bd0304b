import {
  ActList,
  ActsQuery,
  BanInput,
  BanList,
  BansQuery,
  ClosedInput,
  DeniedBlobInput,
  DeniedBlobList,
  DeniedBlobsQuery,
  OperatorKeyInput,
  OperatorKeyOutput,
  ReportList,
  ReportsQuery,
  SiteStatus,
  TakedownInput,
  TierInput,
} from '@satchel/contract/abuse';
import { Id } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { PATHS } from '@satchel/contract/paths';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isClosed, setClosed } from '../../domain/accounts/admission.ts';
import { discordIdOf } from '../../domain/accounts/profiles.ts';
import { listActs, type Operator, recordAct } from '../../domain/moderation/audit-log.ts';
import { banPerson, listBans, unbanPerson } from '../../domain/moderation/bans.ts';
import { allowBlob, denyBlob, listDeniedBlobs } from '../../domain/moderation/denied-list.ts';
import { addOperatorKey, deleteOperatorKey } from '../../domain/moderation/operator-keys.ts';
import { dismissReport, listReports } from '../../domain/moderation/reports.ts';
import { takeDown, takeDownFoldersOf } from '../../domain/moderation/takedowns.ts';
import { setTier } from '../../domain/moderation/tiers.ts';
import { readSiteFigures } from '../../domain/site-figures.ts';
import { inTransaction } from '../../platform/database/db.ts';
import type { AppDeps } from '../deps.ts';
import { describeError } from '../errors.ts';

/** The operators' page. For everyone else its routes are 404. */

declare module 'fastify' {
  interface FastifyRequest {
    /** Discord id of the operator who calls; set only on the operators' routes. */
    operator: Operator | null;
  }
}

const at = (path: string) => `${PATHS.operator}${path}`;
const IdParams = z.object({ id: Id });
const BanParams = z.object({ discord_id: BanInput.shape.discord_id });
const DeniedParams = z.object({ sha256: DeniedBlobInput.shape.sha256 });

/** @throws request.not_found */
function operatorOf(request: FastifyRequest): Operator {
  if (request.operator === null) throw new AppError('request.not_found');
  return request.operator;
}

/** The folder itself is taken down even so. */
const reportUnfinished = (request: FastifyRequest) => (error: unknown) =>
  request.log.error({ error: describeError(error) }, 'takedown: some files not hashed or purged');

function reportRoutes({ database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      at('/reports'),
      { schema: { querystring: ReportsQuery, response: { 200: ReportList } } },
      async ({ query }) => listReports(db, query),
    );

    app.post(at('/reports/:id/dismiss'), { schema: { params: IdParams } }, async (request, reply) => {
      await dismissReport(db, operatorOf(request), request.params.id);
      return reply.code(204).send();
    });

    app.get(at('/acts'), { schema: { querystring: ActsQuery, response: { 200: ActList } } }, async ({ query }) =>
      listActs(db, query.before),
    );
  };
}

/** Measures against folders and people. */
function measureRoutes({ config, database: { db }, blobs, keyShares }: AppDeps): FastifyPluginAsyncZod {
  const removal = { db, blobs, keyShares };

  return async (app) => {
    app.post(at('/takedowns'), { schema: { body: TakedownInput } }, async (request, reply) => {
      await takeDown(removal, operatorOf(request), request.body, reportUnfinished(request));
      return reply.code(204).send();
    });

    app.get(at('/bans'), { schema: { querystring: BansQuery, response: { 200: BanList } } }, async ({ query }) =>
      listBans(db, query),
    );

    app.post(at('/bans'), { schema: { body: BanInput } }, async (request, reply) => {
      const operator = operatorOf(request);
      await banPerson(db, config.operatorDiscordIds, operator, request.body);
      if (request.body.take_down_folders) {
        await takeDownFoldersOf(removal, operator, request.body, reportUnfinished(request));
      }
      return reply.code(204).send();
    });

    app.delete(at('/bans/:discord_id'), { schema: { params: BanParams } }, async (request, reply) => {
      await unbanPerson(db, operatorOf(request), request.params.discord_id);
      return reply.code(204).send();
    });

    app.post(at('/tiers'), { schema: { body: TierInput } }, async (request, reply) => {
      await setTier({ db, tiers: config.tiers }, operatorOf(request), request.body);
      return reply.code(204).send();
    });
  };
}

async function statusOf({ config, database: { db }, freeSpace }: AppDeps): Promise<SiteStatus> {
  const [figures, space, is_closed] = await Promise.all([readSiteFigures(db), freeSpace.read(), isClosed(db)]);
  const { profiles, folders, files, open_uploads, queued_blobs, sweep_lag_seconds } = figures;
  return {
    profiles,
    folders,
    files,
    open_uploads,
    queued_blobs,
    sweep_lag_seconds,
    is_closed,
    booked_bytes: figures.used_bytes + figures.reserved_bytes,
    storage_bytes: config.siteStorageBytes,
    disk: space && {
      free_bytes: space.freeBytes,
      size_bytes: space.sizeBytes,
      kept_free_bytes: config.diskKeptFreeBytes,
    },
    allowed_guilds: config.admission.guildIds.length,
    allowed_accounts: config.admission.discordIds.length,
  };
}

/** The site as a whole: its figures, and whether it takes new accounts. */
function siteRoutes(deps: AppDeps): FastifyPluginAsyncZod {
  const { db } = deps.database;

  return async (app) => {
    app.get(at('/site'), { schema: { response: { 200: SiteStatus } } }, async () => statusOf(deps));

    app.put(at('/site/closed'), { schema: { body: ClosedInput } }, async (request, reply) => {
      const { is_closed } = request.body;
      const operator = operatorOf(request);
      await inTransaction(db, async (tx) => {
        await setClosed(tx, is_closed);
        await recordAct(tx, operator, { act: is_closed ? 'close' : 'reopen', target: 'new accounts', detail: null });
      });
      return reply.code(204).send();
    });
  };
}

function denylistRoutes({ database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      at('/denied_blobs'),
      { schema: { querystring: DeniedBlobsQuery, response: { 200: DeniedBlobList } } },
      async ({ query }) => listDeniedBlobs(db, query),
    );

    app.post(at('/denied_blobs'), { schema: { body: DeniedBlobInput } }, async (request, reply) => {
      await denyBlob(db, operatorOf(request), request.body);
      return reply.code(204).send();
    });

    app.delete(at('/denied_blobs/:sha256'), { schema: { params: DeniedParams } }, async (request, reply) => {
      await allowBlob(db, operatorOf(request), request.params.sha256);
      return reply.code(204).send();
    });
  };
}

function keyRoutes({ database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      at('/operator_keys'),
      { schema: { body: OperatorKeyInput, response: { 201: OperatorKeyOutput } } },
      async (request, reply) =>
        reply.code(201).send(await addOperatorKey(db, operatorOf(request), request.body.public_key)),
    );

    app.delete(at('/operator_keys/:id'), { schema: { params: IdParams } }, async (request, reply) => {
      await deleteOperatorKey(db, operatorOf(request), request.params.id);
      return reply.code(204).send();
    });
  };
}

/** What operators read and do (docs/abuse.md). */
export function operatorRoutes(deps: AppDeps): FastifyPluginAsyncZod {
  const { config, database } = deps;

  return async (app) => {
    app.decorateRequest('operator', null);
    // Before anything else of the request is read: a stranger gets the same 404 for every call.
    app.addHook('onRequest', async (request) => {
      const discordId = request.viewer && (await discordIdOf(database.db, request.viewer));
      request.operator = discordId !== null && config.operatorDiscordIds.includes(discordId) ? discordId : null;
      operatorOf(request);
    });
    await app.register(reportRoutes(deps));
    await app.register(measureRoutes(deps));
    await app.register(siteRoutes(deps));
    await app.register(denylistRoutes(deps));
    await app.register(keyRoutes(deps));
  };
}
