import { writeFileSync } from 'node:fs';
// @ts-expect-error The package ships these schemas without types.
import * as published from 'discord-api-spec/zod';
import { z } from 'zod';

/**
 * Takes over Discord's description of its API (its OpenAPI document, as the package discord-api-spec has it) as the JSON
 * Schemas of `src/schema/discord-api.json`, so that no start of the sandbox has to make them:
 *
 *     node packages/discord-sandbox/scripts/follow-discord.ts
 */

const FILE = new URL('../src/schema/discord-api.json', import.meta.url);

/** What an application sends to Discord: these, and all that they refer to. */
const ROOTS = [
  'ApplicationCommandAutocompleteCallbackRequest',
  'ApplicationCommandUpdateRequest',
  'ApplicationFormPartial',
  'CreateMessageInteractionCallbackRequest',
  'IncomingWebhookInteractionRequest',
  'IncomingWebhookUpdateRequestPartial',
  'ModalInteractionCallbackRequest',
  'PongInteractionCallbackRequest',
  'UpdateMessageInteractionCallbackRequest',
];

type Schemas = Record<string, Record<string, unknown>>;

function allSchemas(): Schemas {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(published)) {
    if (schema instanceof z.core.$ZodType && !registry.has(schema)) {
      registry.add(schema, { id: name.replace(/Schema$/, '') });
    }
  }
  const uri = (id: string) => `#/$defs/${id}`;
  return z.toJSONSchema(registry, { io: 'input', unrepresentable: 'any', uri }).schemas as unknown as Schemas;
}

function* namesIn(schema: unknown): Generator<string> {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) yield name as string;
}

/** The file as it is to be: a line for each schema. */
export function writtenSchemas(): string {
  const all = allSchemas();
  const wanted = new Set(ROOTS);
  // A set continues with what is added to it on the way.
  for (const name of wanted) for (const other of namesIn(all[name])) wanted.add(other);
  const lines = [...wanted].sort().map((name) => {
    const { $schema, $id, ...schema } = all[name] ?? {};
    return `${JSON.stringify(name)}: ${JSON.stringify(schema)}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

if (import.meta.main) writeFileSync(FILE, writtenSchemas());
