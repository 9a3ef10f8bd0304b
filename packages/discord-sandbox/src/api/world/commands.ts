import { type APIApplicationCommand, ApplicationCommandType } from 'discord-api-types/v10';
import type { Application } from './application.ts';
import type { Snowflakes } from './snowflakes.ts';

export type GivenCommand = Partial<APIApplicationCommand> & Pick<APIApplicationCommand, 'name'>;

/** Replaces the application's commands; one that is there already by its name keeps its id. */
export function overwriteCommands(application: Application, given: readonly GivenCommand[], newId: Snowflakes) {
  const before = application.commands;
  application.commands = given.map((command) => {
    const whole = {
      default_member_permissions: null,
      nsfw: false,
      contexts: null,
      integration_types: Object.keys(application.integration_types_config).map(Number),
      ...command,
      id: before.find(({ name }) => name === command.name)?.id ?? newId(),
      application_id: application.id,
      version: newId(),
      type: ApplicationCommandType.ChatInput,
    };
    return whole as unknown as APIApplicationCommand;
  });
  return application.commands;
}
