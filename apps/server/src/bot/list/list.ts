import { type APIButtonComponent, ComponentType } from 'discord-api-types/v10';
import { type FolderPage, type FolderRow, folderPageOf } from '../../domain/access/find-folder.ts';
import { button, customId, linkButton, type Row, row } from '../buttons.ts';
import type { BotDeps, Command, Message } from '../command.ts';
import type { KnownCaller } from '../interaction.ts';
import { type Language, textsIn } from '../language.ts';
import { contentText, cut, folderLabel, folderTitle, timestampOf } from '../wording.ts';

/**
 * /list: one's own folders in pages of ten. A menu chooses the folder that the buttons act on: buttons for each of ten
 * folders are more than a message may have (docs/decisions/013).
 */

/** Texts of /list. */
export const LIST_TEXTS = textsIn('list', {
  title: 'Your folders',
  /** The caller has no folders. */
  empty: 'You have no folders right now. Make one with `/upload`.',
  /** `when` is a Discord timestamp, such as "in 3 hours". */
  gone: 'gone {when}',
  restricted: 'only for those you let in',
  pageOf: 'Page {page} of {pages} · {total} folders',
  choose: 'Choose a folder',
  changed: 'That folder is not on this page any more. Please choose again.',
  open: 'Open',
  share: 'Share',
  delete: 'Delete',
  previous: 'Previous',
  next: 'Next',
});

export const MODE_TEXTS = textsIn('modes', {
  plain: 'not encrypted',
  private: 'private link',
  discord: 'Discord link',
  revoked: 'link revoked',
});

const PAGE_SIZE = 10;
const MAX_LABEL = 100;

/** A page of the list, and the folder that the buttons act on: the first one unless chosen. */
interface View {
  readonly page: number;
  readonly chosenId?: string | undefined;
}

/** What the list and its menu say alike: what a folder holds, and who gets in by its link. */
const factsText = (folder: FolderRow, language: Language): string =>
  [
    contentText(folder, language),
    MODE_TEXTS[language][folder.link_mode],
    ...(folder.access === 'restricted' ? [LIST_TEXTS[language].restricted] : []),
  ].join(' · ');

/** A folder in two lines. Its end is here alone: Discord counts it down, which a menu can't. */
function folderText(folder: FolderRow, language: Language): string {
  const gone = LIST_TEXTS[language].gone({ when: timestampOf(folder.expires_at, 'R') });
  return `**${folderTitle(folder, language)}**\n${factsText(folder, language)} · ${gone}`;
}

function menu({ folders, page }: FolderPage, chosen: FolderRow, language: Language): Row {
  return row({
    type: ComponentType.StringSelect,
    custom_id: customId('list', 'choose', String(page)),
    placeholder: LIST_TEXTS[language].choose,
    options: folders.map((folder) => ({
      label: cut(folderLabel(folder, language), MAX_LABEL),
      description: cut(factsText(folder, language), MAX_LABEL),
      value: folder.id,
      default: folder.id === chosen.id,
    })),
  });
}

function acts({ publicUrl }: BotDeps, chosen: FolderRow, language: Language): Row {
  const texts = LIST_TEXTS[language];
  return row(
    linkButton(texts.open, `${publicUrl}/f/${chosen.slug}`),
    button('Primary', texts.share, customId('share', 'again', chosen.id)),
    button('Danger', texts.delete, customId('delete', 'ask', chosen.id)),
  );
}

function turns({ page, pages }: FolderPage, language: Language): Row {
  const turn = (label: string, to: number): APIButtonComponent => ({
    ...button('Secondary', label, customId('list', 'page', String(to))),
    disabled: to < 1 || to > pages,
  });
  return row(turn(LIST_TEXTS[language].previous, page - 1), turn(LIST_TEXTS[language].next, page + 1));
}

/** @param isChanged true if the chosen folder is no longer on the list */
function listMessage(deps: BotDeps, found: FolderPage, chosen: FolderRow, language: Language, isChanged: boolean) {
  const { page, pages, total } = found;
  const texts = LIST_TEXTS[language];
  return {
    content: isChanged ? texts.changed : '',
    embeds: [
      {
        title: texts.title,
        description: found.folders.map((folder) => folderText(folder, language)).join('\n\n'),
        ...(pages > 1 && { footer: { text: texts.pageOf({ page, pages, total }) } }),
      },
    ],
    components: [
      menu(found, chosen, language),
      acts(deps, chosen, language),
      ...(pages > 1 ? [turns(found, language)] : []),
    ],
  };
}

/** The list as of now. Every field is set, so that it replaces an older list completely. */
async function listOf(deps: BotDeps, caller: KnownCaller, { page, chosenId }: View): Promise<Message> {
  const { language, profile } = caller;
  const found = profile && (await folderPageOf(deps.db, { profile_id: profile.id }, { page, size: PAGE_SIZE }));
  const [first] = found?.folders ?? [];
  if (!found || !first) return { content: LIST_TEXTS[language].empty, embeds: [], components: [] };
  const chosen = found.folders.find(({ id }) => id === chosenId);
  return listMessage(deps, found, chosen ?? first, language, chosenId !== undefined && !chosen);
}

/** The page number of an option or a custom_id; 1 if it is none. */
const pageNumber = (value: unknown): number => Math.floor(Number(value)) || 1;

export const listCommand: Command = {
  name: 'list',
  run: async (deps, call) => ({
    kind: 'private',
    message: await listOf(deps, call, { page: pageNumber(call.options.page ?? 1) }),
  }),
  clicks: {
    page: async (deps, click) => ({
      kind: 'update',
      message: await listOf(deps, click, { page: pageNumber(click.args[0]) }),
    }),
    choose: async (deps, click) => ({
      kind: 'update',
      message: await listOf(deps, click, { page: pageNumber(click.args[0]), chosenId: click.values[0] }),
    }),
  },
};
