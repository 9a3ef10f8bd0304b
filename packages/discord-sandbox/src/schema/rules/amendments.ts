import type { Definitions, JsonSchema } from '../json-schema.ts';

/**
 * Where Discord's published schemas say less than its documentation, or something else than its API does: properties
 * that take the place of theirs. What no schema can say is in the `*-rules.ts`.
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
const choices = (of: string) => ({
  properties: { choices: listOf(ref(of), 25) },
  required: ['choices'],
});
/** A number by the schema, a string by the documentation. Discord takes both. */
const permissions: JsonSchema = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d{1,20}$' };

const LABELLED = ['TextInput', 'StringSelect', 'UserSelect', 'RoleSelect', 'MentionableSelect', 'ChannelSelect'];

export const AMENDMENTS: Definitions = {
  // Cards: a name, a text or an address that is there can't be empty.
  RichEmbedAuthor: { properties: namedCard, required: ['name'] },
  RichEmbedFooter: { properties: { text: text(1, 2048) }, required: ['text'] },
  RichEmbedField: { properties: { ...namedCard, value: text(1, 1024) } },
  RichEmbedImage: picture,
  RichEmbedThumbnail: picture,
  // An empty custom_id counts as a missing one, which component-rules.ts refuses.
  ButtonComponentForMessageRequest: { properties: { custom_id: { type: ['string', 'null'], maxLength: 100 } } },
  ApplicationCommandOptionStringChoice: { properties: { value: text(1, 100) } },
  InteractionApplicationCommandAutocompleteCallbackStringData: choices('ApplicationCommandOptionStringChoice'),
  InteractionApplicationCommandAutocompleteCallbackIntegerData: choices('ApplicationCommandOptionIntegerChoice'),
  InteractionApplicationCommandAutocompleteCallbackNumberData: choices('ApplicationCommandOptionNumberChoice'),
  // A modal is smaller than a message.
  ActionRowComponentForModalRequest: {
    properties: { components: listOf(ref('TextInputComponentForModalRequest'), 1, 1) },
  },
  ModalInteractionCallbackRequestData: {
    properties: {
      components: listOf(
        {
          anyOf: ['ActionRow', 'Label', 'TextDisplay'].map((kind) => ref(`${kind}ComponentForModalRequest`)),
        },
        5,
        1,
      ),
    },
  },
  // The chat has no other fields: checkboxes, radio buttons and files are left out.
  LabelComponentForModalRequest: {
    properties: { component: { anyOf: LABELLED.map((kind) => ref(`${kind}ComponentForModalRequest`)) } },
  },
  // Neither are there activities, whose commands have the type 4.
  ApplicationCommandType: { enum: [1, 2, 3] },
  ApplicationCommandUpdateRequest: {
    properties: {
      description: { anyOf: [text(1, 100), { type: 'null' }] },
      default_member_permissions: { anyOf: [permissions, { type: 'null' }] },
    },
  },
  ApplicationOAuth2InstallParams: { properties: { permissions }, required: ['scopes', 'permissions'] },
  ApplicationFormPartial: {
    properties: { description: { anyOf: [{ type: 'string', maxLength: 400 }, { type: 'null' }] } },
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
