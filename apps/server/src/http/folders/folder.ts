import {
  CreateFolderInput,
  CreateFolderOutput,
  DeleteFolderInput,
  ExpiredFolder,
  FolderCompleteData,
  FolderCompleteInput,
  FolderList,
  FoldersQuery,
  GenerateKeyInput,
  PATHS,
  RevokeKeyInput,
  ServerTime,
  StageLabelsInput,
  StageLabelsOutput,
  UpdateFolderInput,
  UpdateFolderOutput,
} from '@satchel/contract/api';
import { Folder, TempKeyInfo } from '@satchel/contract/entities';
import { AppError } from '@satchel/contract/errors';
import { MIB } from '@satchel/contract/limits';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { folderBySlug, foldersOf, toFolder, type Viewer } from '../../domain/access/find-folder.ts';
import { createFolder } from '../../domain/folders/create-folder.ts';
import { createFolderReader } from '../../domain/folders/folder-data.ts';
import { updateFolderSettings } from '../../domain/folders/folder-settings.ts';
import { generateKey } from '../../domain/links/generate-key.ts';
import { revokeKey } from '../../domain/links/keys.ts';
import { stageLabels } from '../../domain/links/staged-labels.ts';
import { deleteFolder } from '../../domain/removal/delete-folder.ts';
import { databaseTime } from '../../platform/database/db.ts';
import type { AppDeps } from '../deps.ts';
import { reportLeftover } from '../errors.ts';
import { requesterOf, requireViewer, signedIn } from '../requester.ts';

const SlugParams = z.object({ slug: z.string() });
const procedure = (name: string) => `${PATHS.rpc}/${name}`;

/** The session decides who calls; a call under another account's id is refused. */
function refuseForeignId(claimed: string | null | undefined, viewer: Viewer | null): void {
  if (claimed && claimed !== viewer?.profile_id) throw new AppError('folder.forbidden');
}

/** Reading, creating and changing folders. */
function folderProcedures({ config, database, keyShares, keySealer }: AppDeps): FastifyPluginAsyncZod {
  const { db } = database;
  const { tiers, caps } = config;
  const readFolder = createFolderReader(db);

  return async (app) => {
    app.post(
      procedure('get_folder_complete_data'),
      { schema: { body: FolderCompleteInput, response: { 200: z.union([FolderCompleteData, ExpiredFolder]) } } },
      async (request) => {
        refuseForeignId(request.body.requesting_user_id, request.viewer);
        return readFolder(request.body.input_folder_slug, requesterOf(request, config));
      },
    );

    app.post(
      procedure('create_folder_with_temp_key'),
      { preValidation: signedIn, schema: { body: CreateFolderInput, response: { 201: CreateFolderOutput } } },
      async (request, reply) => {
        const deps = { db, keyShares, keySealer, tiers, caps };
        const made = await createFolder(deps, requireViewer(request), request.body);
        return reply.code(201).send(made);
      },
    );

    app.post(
      procedure('update_folder_settings'),
      { preValidation: signedIn, schema: { body: UpdateFolderInput, response: { 200: UpdateFolderOutput } } },
      async (request) => ({
        folder: await updateFolderSettings({ db, keySealer, tiers }, requireViewer(request), request.body),
      }),
    );
  };
}

/** New links of a folder, and its labels under the key of a new link. */
function linkProcedures(
  { database: { db }, keyShares, keySealer }: AppDeps,
  onNewLink: (folderId: string) => void,
): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      procedure('stage_folder_labels'),
      {
        preValidation: signedIn,
        bodyLimit: MIB,
        schema: { body: StageLabelsInput, response: { 200: StageLabelsOutput } },
      },
      (request) => stageLabels(db, requireViewer(request), request.body),
    );

    app.post(
      procedure('generate_temp_encryption_key'),
      { preValidation: signedIn, schema: { body: GenerateKeyInput, response: { 201: TempKeyInfo } } },
      async (request, reply) => {
        const made = await generateKey(
          { db, keyShares, keySealer },
          { viewer: requireViewer(request), input: request.body, report: reportLeftover(request) },
        );
        onNewLink(request.body.folder_id);
        return reply.code(201).send(made);
      },
    );
  };
}

/** Deleting a folder, and revoking its link. */
function endingProcedures({ database, blobs, keyShares }: AppDeps): FastifyPluginAsyncZod {
  const { db } = database;

  return async (app) => {
    app.post(
      procedure('delete_folder_complete'),
      { preValidation: signedIn, schema: { body: DeleteFolderInput } },
      async (request, reply) => {
        const viewer = requireViewer(request);
        refuseForeignId(request.body.requesting_user_id, viewer);
        const report = reportLeftover(request);
        await deleteFolder({ db, blobs, keyShares }, { viewer, folderId: request.body.folder_id, report });
        return reply.code(204).send();
      },
    );

    app.post(
      procedure('revoke_temp_encryption_key'),
      { preValidation: signedIn, schema: { body: RevokeKeyInput } },
      async (request, reply) => {
        await revokeKey(
          { db, blobs, keyShares },
          { viewer: requireViewer(request), folderId: request.body.folder_id, report: reportLeftover(request) },
        );
        return reply.code(204).send();
      },
    );
  };
}

function reads({ config, database: { db } }: AppDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(`${PATHS.folders}/:slug`, { schema: { params: SlugParams, response: { 200: Folder } } }, async (request) =>
      toFolder(await folderBySlug(db, request.params.slug, requesterOf(request, config))),
    );

    app.get(
      PATHS.folders,
      { preValidation: signedIn, schema: { querystring: FoldersQuery, response: { 200: FolderList } } },
      async (request) => (await foldersOf(db, requireViewer(request))).map(toFolder),
    );

    // A device asks before it purges the keys of a folder whose end has come by the device's own clock.
    app.get(PATHS.serverTime, { schema: { response: { 200: ServerTime } } }, async () => ({
      server_time: (await databaseTime(db)).toISOString(),
    }));
  };
}

/** Folders. */
/** @param onNewLink is called when a folder has a new link */
export function folderRoutes(deps: AppDeps, onNewLink: (folderId: string) => void): FastifyPluginAsyncZod {
  return async (app) => {
    await app.register(folderProcedures(deps));
    await app.register(linkProcedures(deps, onNewLink));
    await app.register(endingProcedures(deps));
    await app.register(reads(deps));
  };
}
