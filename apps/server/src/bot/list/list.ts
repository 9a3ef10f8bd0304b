import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  ButtonStyle,
  ComponentType,
} from 'discord-api-types/v10';
import { type FolderPage, type FolderRow, folderPageOf } from '../../domain/access/find-folder.ts';
import { type BotDeps, type Command, customId, type Message } from '../command.ts';
import type { KnownCaller } from '../interaction.ts';
import type { Language } from '../language.ts';
import { contentText, cut, folderLabel, folderTitle, fromNowText, timestampOf } from '../wording.ts';
import { LIST_TEXTS } from './list-texts.ts';

/**
 * /list: one's own folders in pages of ten. A menu chooses the folder that the buttons act on: buttons for each of ten
 * folders are more than a message may have (docs/decisions/013).
 */

const PAGE_SIZE = 10;
const MAX_LABEL = 100;

/** A page of the list, and the folder that the buttons act on: the first one unless chosen. */
interface View {
  readonly page: number;
  readonly chosenId?: string | undefined;
}

type Row = APIActionRowComponent<APIComponentInMessageActionRow>;
const row = (...components: APIComponentInMessageActionRow[]): Row => ({ type: ComponentType.ActionRow, components });

/** A folder in two lines: its name, then its content, its end, and who gets in by its link. */
function folderText(folder: FolderRow, language: Language): string {
  const texts = LIST_TEXTS[language];
  const facts = [
    contentText(folder, language),
    texts.gone(timestampOf(folder.expires_at, 'R')),
    texts.modes[folder.link_mode],
    ...(folder.access === 'restricted' ? [texts.restricted] : []),
  ];
  return `**${folderTitle(folder, language)}**\n${facts.join(' · ')}`;
}

function menu({ folders, page }: FolderPage, chosen: FolderRow, language: Language): Row {
  return row({
    type: ComponentType.StringSelect,
    custom_id: customId('list', 'choose', String(page)),
    placeholder: LIST_TEXTS[language].choose,
    options: folders.map((folder) => ({
      label: cut(folderLabel(folder, language), MAX_LABEL),
      description: cut(
        `${contentText(folder, language)} · ${LIST_TEXTS[language].gone(fromNowText(folder.expires_at, language))}`,
        MAX_LABEL,
      ),
      value: folder.id,
      default: folder.id === chosen.id,
    })),
  });
}

function acts({ publicUrl }: BotDeps, chosen: FolderRow, language: Language): Row {
  const texts = LIST_TEXTS[language];
  return row(
    {
      type: ComponentType.Button,
      style: ButtonStyle.Link,
      label: texts.open,
      url: `${publicUrl}/f/${chosen.slug}`,
    },
    {
      type: ComponentType.Button,
      style: ButtonStyle.Primary,
      label: texts.share,
      custom_id: customId('share', 'again', chosen.id),
    },
    {
      type: ComponentType.Button,
      style: ButtonStyle.Danger,
      label: texts.delete,
      custom_id: customId('delete', 'ask', chosen.id),
    },
  );
}

function turns({ page, pages }: FolderPage, language: Language): Row {
  const turn = (label: string, to: number): APIButtonComponent => ({
    type: ComponentType.Button,
    style: ButtonStyle.Secondary,
    label,
    custom_id: customId('list', 'page', String(to)),
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
        ...(pages > 1 && { footer: { text: texts.pageOf(page, pages, total) } }),
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
