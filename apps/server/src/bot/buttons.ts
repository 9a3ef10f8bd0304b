import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  ButtonStyle,
  ComponentType,
} from 'discord-api-types/v10';
import type { Command } from './command.ts';

/** What can be clicked on below a message. */

export type Row = APIActionRowComponent<APIComponentInMessageActionRow>;

/** A custom_id. Discord allows 100 characters; a few ids stay far below. */
export const customId = (command: Command['name'], act: string, ...args: readonly string[]): string =>
  [command, act, ...args].join(':');

export const row = (...components: APIComponentInMessageActionRow[]): Row => ({
  type: ComponentType.ActionRow,
  components,
});

type Style = 'Primary' | 'Secondary' | 'Danger';

/** A button that the bot answers: its style says how much the click changes. */
export const button = (style: Style, label: string, custom_id: string): APIButtonComponent => ({
  type: ComponentType.Button,
  style: ButtonStyle[style],
  label,
  custom_id,
});

export const linkButton = (label: string, url: string): APIButtonComponent => ({
  type: ComponentType.Button,
  style: ButtonStyle.Link,
  label,
  url,
});
