import type { APIApplicationCommand } from 'discord-api-types/v10';
import { commandRule, commandsRule } from '../../schema/rules/command-rules.ts';
import { settingsRule } from '../../schema/rules/settings-rules.ts';
import type { SettingsChange } from '../world/application.ts';
import { checkForm } from './check-form.ts';

export type GivenCommand = Partial<APIApplicationCommand> & Pick<APIApplicationCommand, 'name'>;

/** @throws DiscordError 50035 */
export function readCommands(body: unknown): readonly GivenCommand[] {
  checkForm(body, commandsRule);
  return body as readonly GivenCommand[];
}

/** @throws DiscordError 50035 */
export function readCommand(body: unknown): GivenCommand {
  checkForm(body, commandRule);
  return body as GivenCommand;
}

/** Permissions may be sent as a number; Discord answers with a string. */
const asTold = (key: string, value: unknown): unknown =>
  key === 'permissions' && typeof value === 'number' ? String(value) : value;

/** What Discord's settings page, and its API, let one change of an application. */
const NAMES = [
  'interactions_endpoint_url',
  'event_webhooks_url',
  'event_webhooks_status',
  'event_webhooks_types',
  'description',
  'tags',
  'custom_install_url',
  'role_connections_verification_url',
  'install_params',
  'integration_types_config',
  'flags',
] as const satisfies readonly (keyof SettingsChange)[];

/** @throws DiscordError 50035 */
export function readSettingsChange(body: unknown): SettingsChange {
  checkForm(body, settingsRule);
  const given = JSON.parse(JSON.stringify(body, asTold)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(NAMES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}
