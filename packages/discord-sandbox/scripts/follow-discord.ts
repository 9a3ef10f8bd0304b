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

interface Schema {
  readonly properties?: Schemas;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}
type Schemas = Readonly<Record<string, Schema>>;

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
const text = (minLength: number, maxLength: number): Schema => ({ type: 'string', minLength, maxLength });
const listOf = (items: Schema, maxItems: number, minItems = 0): Schema => ({
  type: 'array',
  items,
  maxItems,
  minItems,
});
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });

/** One of several, told apart by `type`, so that what is wrong is said of this one. */
function byType(names: Readonly<Record<number, string>>): Schema {
  const types = Object.keys(names).map(Number);
  const typed = (type: Schema): Schema => ({ type: 'object', required: ['type'], properties: { type } });
  return {
    ...typed({ enum: types }),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    allOf: types.map((type) => ({ if: typed({ const: type }), then: ref(names[type] ?? '') })),
  };
}

/** Rows of buttons and menus: neither components of version 2 nor files are taken. */
const MESSAGE: Schema = {
  properties: {
    components: orNull(listOf(ref('ActionRowComponentForMessageRequest'), 5)),
    attachments: orNull({ type: 'array', maxItems: 0 }),
  },
};
/** A number by the schema, a string by the documentation. Discord takes both. */
const PERMISSIONS: Schema = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,20}$' };

/**
 * Where Discord's schemas say less than its documentation, or more than the sandbox plays: properties that take the place
 * of theirs. What no schema can say is in `src/schema/rules.ts`.
 */
const AMENDMENTS: Schemas = {
  RichEmbedFooter: { properties: { text: text(1, 2048) }, required: ['text'] },
  ApplicationCommandOptionStringChoice: { properties: { value: text(1, 100) } },
  ApplicationCommandAutocompleteCallbackRequest: {
    properties: { data: ref('InteractionApplicationCommandAutocompleteCallbackStringData') },
  },
  InteractionApplicationCommandAutocompleteCallbackStringData: {
    properties: { choices: listOf(ref('ApplicationCommandOptionStringChoice'), 25) },
    required: ['choices'],
  },
  IncomingWebhookInteractionRequest: MESSAGE,
  IncomingWebhookUpdateRequestPartial: MESSAGE,
  IncomingWebhookUpdateForInteractionCallbackRequestPartial: MESSAGE,
  ActionRowComponentForMessageRequest: {
    properties: {
      components: listOf(
        byType({ 2: 'ButtonComponentForMessageRequest', 3: 'StringSelectComponentForMessageRequest' }),
        5,
        1,
      ),
    },
  },
  ModalInteractionCallbackRequestData: {
    properties: { components: listOf(ref('LabelComponentForModalRequest'), 5, 1) },
  },
  LabelComponentForModalRequest: { properties: { component: ref('TextInputComponentForModalRequest') } },
  ApplicationCommandUpdateRequest: {
    properties: {
      type: { const: 1 },
      description: text(1, 100),
      options: listOf(
        byType({
          3: 'ApplicationCommandStringOption',
          4: 'ApplicationCommandIntegerOption',
          5: 'ApplicationCommandBooleanOption',
          6: 'ApplicationCommandUserOption',
        }),
        25,
      ),
      default_member_permissions: orNull(PERMISSIONS),
    },
    required: ['name', 'description'],
  },
  ApplicationOAuth2InstallParams: { properties: { permissions: PERMISSIONS }, required: ['scopes', 'permissions'] },
};

/** The schema as ajv takes it: closed, since Discord drops an unknown key without a word. */
function closed({ anyOf, properties, items, pattern, ...rest }: Schema): Schema {
  // zod writes `undefined` as a schema that takes everything; in JSON it is the absence of the key.
  const branches = anyOf?.filter((branch) => Object.keys(branch).length > 0).map(closed);
  return {
    ...rest,
    ...(pattern !== undefined && rest.format === undefined && { pattern }),
    ...(branches && (branches.length === 1 ? branches[0] : { anyOf: branches })),
    ...(items && { items: closed(items) }),
    ...(properties && { properties: mapped(properties, closed), additionalProperties: false }),
  };
}

/** @param map gets each schema with its name */
function mapped(schemas: Schemas, map: (schema: Schema, name: string) => Schema): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, map(schema, name)]));
}

function amended(schema: Schema, name: string): Schema {
  const { properties, ...rest } = AMENDMENTS[name] ?? {};
  return { ...schema, ...rest, ...(properties && { properties: { ...schema.properties, ...properties } }) };
}

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

/** The file as it is to be: a line for each schema. */
export function writtenSchemas(): string {
  const all = mapped(mapped(allSchemas(), closed), amended);
  const wanted = new Set(ROOTS);
  const lines: string[] = [];
  // A set continues with what is added to it on the way.
  for (const name of wanted) {
    const { $schema, $id, ...schema } = all[name] ?? {};
    const json = JSON.stringify(schema);
    for (const [, other = ''] of json.matchAll(/"#\/\$defs\/([^"]+)"/g)) wanted.add(other);
    lines.push(`${JSON.stringify(name)}: ${json}`);
  }
  return `{\n${lines.sort().join(',\n')}\n}\n`;
}

if (import.meta.main) writeFileSync(FILE, writtenSchemas());
