import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import type { FolderRow } from '../domain/folders.ts';
import { forgetIntent, markTold, type ReplyToTell, repliesToTell, untoldFolders } from '../domain/upload-intents.ts';
import { DiscordCallError } from '../platform/discord-rest.ts';
import { type BotDeps, customId, type Message } from './command.ts';
import type { Language } from './language.ts';
import { UPLOAD_TEXTS } from './upload-texts.ts';
import { contentText, folderTitle, timestampOf } from './wording.ts';

/** Tells the replies to /upload what came of it, for as long as Discord lets them be edited. */

export interface UploadReplies {
  /** An upload into this folder has been completed. */
  noteCompleted(folderId: string): void;
  /** Tells what the process before this one has left untold. */
  start(): Promise<void>;
  /** Tells what waits to be told, as far as that takes no longer than a stop may, and stops. */
  close(): Promise<void>;
}

export interface TellTimes {
  /** So long completions are gathered: a queue of many small files must not edit as many times. */
  readonly gatherMs: number;
  /** What Discord has refused or not heard is said again after this, until the token is over. */
  readonly againMs: number;
}
export const TELL_TIMES: TellTimes = { gatherMs: 1500, againMs: 30_000 };

const CLOSE_MAX_MS = 5000;
/** The token is over, or its person has put the message away: nothing can be said there any more. */
const OVER: ReadonlySet<number | string> = new Set([10_008, 10_015, 50_027]);

type Deps = Pick<BotDeps, 'db' | 'rest' | 'replyTokens' | 'publicUrl' | 'report'>;

function doneMessage(publicUrl: string, folder: FolderRow, language: Language): Message {
  const texts = UPLOAD_TEXTS[language];
  const { id, slug, expires_at } = folder;
  const end = timestampOf(expires_at, 'R');
  return {
    content: texts.done(folderTitle(folder, language), contentText(folder, language), end),
    components: [
      {
        type: ComponentType.ActionRow,
        components: [
          { type: ComponentType.Button, style: ButtonStyle.Link, label: texts.open, url: `${publicUrl}/f/${slug}` },
          {
            type: ComponentType.Button,
            style: ButtonStyle.Primary,
            label: texts.share,
            custom_id: customId('share', 'again', id),
          },
          {
            type: ComponentType.Button,
            style: ButtonStyle.Danger,
            label: texts.delete,
            custom_id: customId('delete', 'ask', id),
          },
        ],
      },
    ],
  };
}

/** Runs what concerns one folder after a while, once for however often it was asked for, and never twice at a time. */
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
    // Whose round is under way waits for another one's time: however slow Discord is, one waits at most.
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

export function createUploadReplies(deps: Deps, { gatherMs, againMs }: TellTimes = TELL_TIMES): UploadReplies {
  const { db, rest, publicUrl, report } = deps;

  /** @returns false when it is to be tried again */
  async function tellOne({ intent_id, token, language }: ReplyToTell, folder: FolderRow, at: Date): Promise<boolean> {
    if (token === null) {
      await forgetIntent(db, intent_id);
      return true;
    }
    try {
      const { content = '', components = [] } = doneMessage(publicUrl, folder, language);
      await rest.editReply(token, { content, embeds: [], components: [...components] });
      await markTold(db, intent_id, at);
      return true;
    } catch (error) {
      const isOver = error instanceof DiscordCallError && OVER.has(error.code);
      if (isOver) await forgetIntent(db, intent_id);
      else report(error);
      return isOver;
    }
  }

  async function tell(folderId: string): Promise<void> {
    try {
      const told = await repliesToTell(deps, folderId);
      if (!told) return;
      const done = await Promise.all(told.replies.map((reply) => tellOne(reply, told.folder, told.at)));
      if (done.includes(false)) rounds.after(folderId, againMs);
    } catch (error) {
      report(error);
      rounds.after(folderId, againMs);
    }
  }
  const rounds = createRounds(tell);

  return {
    noteCompleted: (folderId) => rounds.after(folderId, gatherMs),
    async start() {
      for (const folderId of await untoldFolders(db)) rounds.after(folderId, gatherMs);
    },
    async close() {
      let late: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => {
        late = setTimeout(resolve, CLOSE_MAX_MS);
      });
      await Promise.race([rounds.close(), tooLong]);
      clearTimeout(late);
    },
  };
}
