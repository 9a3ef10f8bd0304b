import { type APIApplicationCommand, ApplicationCommandType } from 'discord-api-types/v10';
import type { GivenCommand } from '../bodies/application-body.ts';
import { DiscordError, unknownCommand } from '../discord-error.ts';
import type { Application } from './application.ts';
import type { Snowflakes } from './snowflakes.ts';

const MAX_COMMANDS = 100;

type Named = Pick<GivenCommand, 'name'>;
const isSame = (one: Named, other: Named) => one.name === other.name;

/** The application's global commands. */
export function createCommands(application: Application, newId: Snowflakes) {
  const typesOfApplication = () => Object.keys(application.integration_types_config as object).map(Number);

  function complete(given: GivenCommand, id: string): APIApplicationCommand {
    const { name, description = '', options, nsfw, contexts, integration_types } = given;
    const whole = {
      id,
      application_id: application.id,
      version: newId(),
      default_member_permissions: given.default_member_permissions ?? null,
      type: ApplicationCommandType.ChatInput,
      name,
      name_localizations: given.name_localizations ?? null,
      description,
      description_localizations: given.description_localizations ?? null,
      dm_permission: contexts === undefined || contexts === null || contexts.includes(1),
      contexts: contexts ?? null,
      integration_types: integration_types ?? typesOfApplication(),
      ...(options && options.length > 0 && { options }),
      nsfw: nsfw ?? false,
    };
    return whole as unknown as APIApplicationCommand;
  }

  function find(id: string): APIApplicationCommand {
    const found = application.commands.find((command) => command.id === id);
    if (found === undefined) throw unknownCommand();
    return found;
  }

  const replace = (command: APIApplicationCommand) => {
    application.commands = application.commands.map((one) => (one.id === command.id ? command : one));
  };

  return {
    find,
    /** All at once; one that is there already by its name keeps its id. */
    overwrite(given: readonly GivenCommand[]) {
      const before = application.commands;
      application.commands = given.map((one) => complete(one, before.find((old) => isSame(old, one))?.id ?? newId()));
      return application.commands;
    },
    /** @returns the command, and whether it is new: one of the same name is replaced */
    create(given: GivenCommand) {
      const old = application.commands.find((one) => isSame(one, given));
      if (old === undefined && application.commands.length >= MAX_COMMANDS) {
        throw new DiscordError(400, 30_032, `Maximum number of application commands reached (${MAX_COMMANDS})`);
      }
      const command = complete(given, old?.id ?? newId());
      if (old) replace(command);
      else application.commands = [...application.commands, command];
      return { command, isNew: old === undefined };
    },
    edit(id: string, whole: GivenCommand) {
      const command = complete(whole, find(id).id);
      replace(command);
      return command;
    },
    remove(id: string) {
      const { id: known } = find(id);
      application.commands = application.commands.filter((one) => one.id !== known);
    },
  };
}
export type Commands = ReturnType<typeof createCommands>;

type Localized = { name_localizations?: unknown; description_localizations?: unknown; options?: readonly Localized[] };

/** A list says texts in other languages only when asked to. */
export function withoutLocalizations<T extends Localized>(part: T): T {
  const { name_localizations: _names, description_localizations: _descriptions, options, ...rest } = part;
  return { ...rest, ...(options && { options: options.map(withoutLocalizations) }) } as unknown as T;
}
