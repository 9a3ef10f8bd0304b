import {
  type GenerateKeyInput,
  RELABEL_MAX,
  type StageLabelsInput,
  type StageLabelsOutput,
} from '@satchel/contract/api';
import { AppError } from '@satchel/contract/errors';
import { eq, type SQL, sql } from 'drizzle-orm';
import { type Db, inTransaction, type Queryable, rowsOf, type Tx } from '../../platform/database/db.ts';
import { staged_labels } from '../../platform/schema/links.ts';
import { type FolderRow, lockOwnFolder, ownFolder, type Viewer } from '../access/find-folder.ts';

/**
 * Labels under a new folder key (docs/container.md §6). The owner's page brings them in pages; nobody sees them. The change of
 * the link makes all of them current in its transaction, or none: before it the former keyring counts, after it the new one.
 */

type Relabel = NonNullable<GenerateKeyInput['relabel']>;

/** Stages of a folder that are kept: each page that changes the link has one. */
const STAGES_MAX = 3;

/**
 * What has a label: files, and uploads that may become files. An upload that ends after the change of the link would otherwise
 * be under the former key.
 */
const labelled = (folderId: string): SQL => sql`
  select name, sealed from files where folder_id = ${folderId}::uuid and sealed is not null
  union all
  select name, sealed from uploads
  where folder_id = ${folderId}::uuid and sealed is not null and completed_at is null and expires_at > clock_timestamp()`;

/** Labels of the folder that a stage does not have. */
async function missingIn(db: Queryable, folderId: string, stageId: string): Promise<StageLabelsOutput['missing']> {
  const missing = await db.execute(sql`
    select name, sealed from (${labelled(folderId)}) as labelled
    where not exists (
      select from staged_labels as staged
      where staged.folder_id = ${folderId}::uuid and staged.stage_id = ${stageId}::uuid
        and staged.name = labelled.name and staged.earlier = labelled.sealed)
    limit ${RELABEL_MAX}`);
  return rowsOf(missing);
}

/** Labels of what the folder does not have are left out, so that a stage is never larger than the folder. */
async function insertLabels(tx: Tx, { folder_id, stage_id, labels }: StageLabelsInput): Promise<void> {
  await tx.execute(sql`
    insert into staged_labels (folder_id, stage_id, name, earlier, sealed)
    select distinct on (given.name, given.earlier) ${folder_id}::uuid, ${stage_id}::uuid, given.name, given.earlier, given.sealed
    from json_to_recordset(${JSON.stringify(labels)}::json) as given (name text, earlier text, sealed text)
    join (${labelled(folder_id)}) as labelled on labelled.name = given.name and labelled.sealed = given.earlier
    on conflict (folder_id, stage_id, name, earlier) do update set sealed = excluded.sealed, staged_at = now()`);
  await tx.execute(sql`
    delete from staged_labels where folder_id = ${folder_id}::uuid and stage_id not in (
      select stage_id from staged_labels where folder_id = ${folder_id}::uuid
      group by stage_id order by max(staged_at) desc limit ${STAGES_MAX})`);
}

/**
 * Keeps labels for a change of the link.
 * @returns labels that the stage still lacks, some of them; none once it has all
 * @throws folder.not_found, folder.expired, folder.forbidden, folder.revoked, folder.plain
 */
export async function stageLabels(db: Db, viewer: Viewer, input: StageLabelsInput): Promise<StageLabelsOutput> {
  const { id } = await ownFolder(db, input.folder_id, viewer);
  if (input.labels.length > 0) {
    await inTransaction(db, async (tx) => {
      await lockOwnFolder(tx, id, viewer);
      await insertLabels(tx, { ...input, folder_id: id });
    });
  }
  return { missing: await missingIn(db, id, input.stage_id) };
}

/**
 * Makes the labels of a stage current, as part of the change of the link.
 * @param tx a transaction that holds the folder's row
 * @param link the present link's token; null where the folder has none
 * @throws key.link_changed when the stage was made for another link; key.labels_changed when the stage lacks a label, or
 * none is named although the folder has labels: nothing may stay under the former key
 */
export async function applyLabels(
  tx: Tx,
  { id }: FolderRow,
  { relabel, link }: { relabel: Relabel | null; link: string | null },
): Promise<void> {
  if (relabel === null) {
    const [some] = rowsOf(await tx.execute(sql`select from (${labelled(id)}) as labelled limit 1`));
    if (some) throw new AppError('key.labels_changed');
    return;
  }
  if (relabel.replaces !== link) throw new AppError('key.link_changed');
  const missing = await missingIn(tx, id, relabel.stage_id);
  if (missing.length > 0) throw new AppError('key.labels_changed');
  const isStaged = (table: SQL): SQL => sql`
    ${table}.folder_id = ${id}::uuid and staged.folder_id = ${id}::uuid and staged.stage_id = ${relabel.stage_id}::uuid
    and staged.name = ${table}.name and staged.earlier = ${table}.sealed and staged.sealed is not null`;
  await tx.execute(sql`
    update files set sealed = staged.sealed, updated_at = clock_timestamp() from staged_labels as staged
    where ${isStaged(sql`files`)}`);
  await tx.execute(sql`
    update uploads set sealed = staged.sealed from staged_labels as staged
    where uploads.completed_at is null and ${isStaged(sql`uploads`)}`);
  await tx.delete(staged_labels).where(eq(staged_labels.folder_id, id));
}
