import type { FolderRow } from '../../domain/access/find-folder.ts';
import {
  claimReplies,
  deleteIntent,
  markTold,
  type ReplyToTell,
  releaseReply,
  untoldFolders,
} from '../../domain/discord/upload-intents.ts';
import { DiscordCallError } from '../../platform/discord/discord-rest.ts';
import { toEdit } from '../answers.ts';
import { button, customId, linkButton, row } from '../buttons.ts';
import type { BotDeps, Message } from '../command.ts';
import type { Language } from '../language.ts';
import { postWaiting } from '../share/share-keyless.ts';
import { contentText, folderTitle, timestampOf } from '../wording.ts';
import { UPLOAD_TEXTS } from './upload-texts.ts';

/** Edits the replies to /upload with what was uploaded, and posts the cards that wait for a key, for as long as Discord allows. */

export interface UploadReplies {
  /** Call it when an upload into this folder is completed, and when the folder has a new link. */
  noteChanged(folderId: string): void;
  /** Edits the replies that an earlier process left, and from then on the replies that another node leaves. */
  start(): Promise<void>;
  /** Edits the remaining replies, within the time that a stop may take, and stops. */
  close(): Promise<void>;
}

export interface TellTimes {
  /** How long completions are gathered, so that many small files don't cause as many edits. */
  readonly gatherMs: number;
  /** When an edit that Discord refused or missed is tried again, until the token expires. */
  readonly againMs: number;
  /** How often replies are looked for that no node edits: one that was killed leaves them. */
  readonly lookMs: number;
}
export const TELL_TIMES: TellTimes = { gatherMs: 1500, againMs: 30_000, lookMs: 20_000 };

const CLOSE_MAX_MS = 5000;
/** Discord's codes for an expired token or a deleted message: no edit can succeed any more. */
const OVER: ReadonlySet<number | string> = new Set([10_008, 10_015, 50_027]);

type Deps = Pick<BotDeps, 'db' | 'rest' | 'replyTokens' | 'publicUrl' | 'report'>;

function doneMessage(publicUrl: string, folder: FolderRow, language: Language): Message {
  const texts = UPLOAD_TEXTS[language];
  const { id, slug, expires_at } = folder;
  const end = timestampOf(expires_at, 'R');
  return {
    content: texts.done({ name: folderTitle(folder, language), content: contentText(folder, language), end }),
    components: [
      row(
        linkButton(texts.open, `${publicUrl}/f/${slug}`),
        button('Primary', texts.share, customId('share', 'again', id)),
        button('Danger', texts.delete, customId('delete', 'ask', id)),
      ),
    ],
  };
}

/** Runs an act for a folder after a delay, once for all calls in between, and never twice at a time. */
function createRounds(act: (folderId: string) => Promise<void>) {
  const waiting = new Map<string, { timer: NodeJS.Timeout; dueMs: number }>();
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  function start(folderId: string): Promise<void> {
    clearTimeout(waiting.get(folderId)?.timer);
    waiting.delete(folderId);
    const round = (running.get(folderId) ?? Promise.resolve()).then(() => act(folderId));
    running.set(folderId, round);
    return round.finally(() => running.get(folderId) === round && running.delete(folderId));
  }

  function after(folderId: string, delayMs: number): void {
    if (isClosed) return;
    const dueMs = Date.now() + delayMs;
    const before = waiting.get(folderId);
    if (before && before.dueMs <= dueMs) return;
    clearTimeout(before?.timer);
    // While a folder's round runs, the next one waits. However slow Discord is, at most one waits.
    const due = () => {
      waiting.delete(folderId);
      if (running.has(folderId)) after(folderId, delayMs);
      else void start(folderId);
    };
    waiting.set(folderId, { timer: setTimeout(due, delayMs), dueMs });
  }

  function close(): Promise<unknown> {
    isClosed = true;
    const left = [...waiting.keys()].map(start);
    return Promise.all([...left, ...running.values()]);
  }

  return { after, close };
}

export function createUploadReplies(deps: Deps, times: TellTimes = TELL_TIMES): UploadReplies {
  const { db, rest, publicUrl, report } = deps;
  const { gatherMs, againMs, lookMs } = times;
  let looks: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** @returns false if the edit must be tried again */
  async function tellOne(reply: ReplyToTell, folder: FolderRow, at: Date): Promise<boolean> {
    const { intent_id, token, language, card } = reply;
    // A card is posted at most once, so its intent goes first.
    if (token === null || card) await deleteIntent(db, intent_id);
    if (token === null) return true;
    try {
      if (card) {
        await postWaiting(deps, { token, language, card }, folder);
        return true;
      }
      await rest.editReply(token, toEdit(doneMessage(publicUrl, folder, language)));
      await markTold(db, intent_id, at);
      return true;
    } catch (error) {
      const isOver = error instanceof DiscordCallError && OVER.has(error.code);
      if (card && !isOver) report(error);
      if (card) return true;
      if (isOver) await deleteIntent(db, intent_id);
      else report(error);
      if (!isOver) await releaseReply(db, intent_id);
      return isOver;
    }
  }

  async function tell(folderId: string): Promise<void> {
    try {
      const claimed = await claimReplies(deps, folderId);
      if (!claimed) return;
      const done = await Promise.all(claimed.replies.map((reply) => tellOne(reply, claimed.folder, claimed.at)));
      if (done.includes(false)) rounds.after(folderId, againMs);
      // What the other node tells may be older than what this one was called for.
      else if (claimed.isShared) rounds.after(folderId, gatherMs);
    } catch (error) {
      report(error);
      rounds.after(folderId, againMs);
    }
  }
  const rounds = createRounds(tell);

  async function look(): Promise<void> {
    for await (const folderId of untoldFolders(db)) rounds.after(folderId, gatherMs);
  }

  /** Nodes look at different times. */
  function lookLater(): void {
    if (isClosed) return;
    looks = setTimeout(() => void look().catch(report).finally(lookLater), lookMs * (0.75 + Math.random() / 2));
    looks.unref();
  }

  return {
    noteChanged: (folderId) => rounds.after(folderId, gatherMs),
    start: () => look().finally(lookLater),
    async close() {
      isClosed = true;
      clearTimeout(looks);
      let late: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        late = setTimeout(resolve, CLOSE_MAX_MS);
      });
      await Promise.race([rounds.close(), tooLong]);
      clearTimeout(late);
    },
  };
}
