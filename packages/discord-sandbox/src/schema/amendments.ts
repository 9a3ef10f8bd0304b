/** As much of JSON Schema as `schema.ts` reads; ajv reads the rest. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly properties?: Definitions;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly [keyword: string]: unknown;
}

export type Definitions = Readonly<Record<string, JsonSchema>>;

/**
 * Where Discord's published schemas say less than its documentation, or something else than its API does: properties
 * that take the place of theirs. What no schema can say is in `rules.ts`.
 */

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const text = (minLength: number, maxLength: number): JsonSchema => ({ type: 'string', minLength, maxLength });
const listOf = (items: JsonSchema, most: number, least?: number): JsonSchema => ({
  type: 'array',
  items,
  maxItems: most,
  ...(least !== undefined && { minItems: least }),
});

const picture = { required: ['url'] };
const namedCard = { name: text(1, 256) };
/** A number by the schema, a string by the documentation. Discord takes both. */
const permissions: JsonSchema = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,20}$' };

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });

/** Rows of buttons and menus: neither components of version 2 nor files are taken. */
const message = {
  properties: {
    components: orNull(listOf(ref('ActionRowComponentForMessageRequest'), 5)),
    attachments: orNull({ type: 'array', maxItems: 0 }),
  },
};
/** No subcommands. */
const OPTIONS = ['Attachment', 'Boolean', 'Channel', 'Integer', 'Mentionable', 'Number', 'Role', 'String', 'User'];

const AMENDMENTS: Definitions = {
  // Cards: a name, a text or an address that is there can't be empty.
  RichEmbedAuthor: { properties: namedCard, required: ['name'] },
  RichEmbedFooter: { properties: { text: text(1, 2048) }, required: ['text'] },
  RichEmbedField: { properties: { ...namedCard, value: text(1, 1024) } },
  RichEmbedImage: picture,
  RichEmbedThumbnail: picture,
  // An empty custom_id counts as a missing one, which rules.ts refuses.
  ButtonComponentForMessageRequest: { properties: { custom_id: { type: ['string', 'null'], maxLength: 100 } } },
  ApplicationCommandOptionStringChoice: { properties: { value: text(1, 100) } },
  InteractionApplicationCommandAutocompleteCallbackStringData: {
    properties: { choices: listOf(ref('ApplicationCommandOptionStringChoice'), 25) },
    required: ['choices'],
  },
  IncomingWebhookInteractionRequest: message,
  IncomingWebhookUpdateRequestPartial: message,
  IncomingWebhookUpdateForInteractionCallbackRequestPartial: message,
  ActionRowComponentForMessageRequest: {
    properties: {
      components: listOf(
        { anyOf: ['Button', 'StringSelect'].map((kind) => ref(`${kind}ComponentForMessageRequest`)) },
        5,
        1,
      ),
    },
  },
  // A modal is smaller than a message. The chat has text fields only.
  ModalInteractionCallbackRequestData: {
    properties: { components: listOf(ref('LabelComponentForModalRequest'), 5, 1) },
  },
  LabelComponentForModalRequest: { properties: { component: ref('TextInputComponentForModalRequest') } },
  // Slash commands alone, without context menus and activities.
  ApplicationCommandType: { enum: [1] },
  ApplicationCommandUpdateRequest: {
    properties: {
      description: text(1, 100),
      options: orNull(listOf({ anyOf: OPTIONS.map((kind) => ref(`ApplicationCommand${kind}Option`)) }, 25)),
      default_member_permissions: orNull(permissions),
    },
    required: ['name', 'description'],
  },
  ApplicationOAuth2InstallParams: { properties: { permissions }, required: ['scopes', 'permissions'] },
  ApplicationFormPartial: {
    properties: { description: orNull({ type: 'string', maxLength: 400 }) },
  },
};

/** Discord's definitions with what is said of them here. */
export const amended = (definitions: Definitions): Definitions => ({
  ...definitions,
  ...Object.fromEntries(
    Object.entries(AMENDMENTS).map(([name, { properties, ...rest }]) => [
      name,
      {
        ...definitions[name],
        ...rest,
        ...(properties && { properties: { ...definitions[name]?.properties, ...properties } }),
      },
    ]),
  ),
});
