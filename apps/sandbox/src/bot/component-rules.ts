import { ButtonStyle, ComponentType } from 'discord-api-types/v10';
import {
  all,
  boolean,
  byType,
  choice,
  fault,
  inside,
  integer,
  isObject,
  list,
  model,
  objectsIn,
  type Rule,
  requiredFault,
  type Spot,
  snowflake,
  text,
  url,
} from './form.ts';

const MAX_VALUES = 25;
const ROW_WIDTH = 5;

export const customId = text({ min: 1, max: 100 });
const id = integer({ min: 0 });
const emoji = model({ optional: { id: snowflake, name: text({ max: 128 }), animated: boolean } });

/** A link has an address and no custom_id; any other button has it the other way round. */
const buttonIdentity: Rule = (value, spot) => {
  if (!isObject(value)) return;
  const { style, url: address, custom_id, label, emoji: picture } = value;
  const at = inside(spot, 'custom_id');
  if (address && custom_id) {
    return fault(
      at,
      'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
      'A custom id and url cannot both be specified',
    );
  }
  if (style === ButtonStyle.Premium) return;
  if (style === ButtonStyle.Link) {
    if (!address) fault(inside(spot, 'url'), 'BUTTON_COMPONENT_URL_REQUIRED', 'A url is required');
  } else if (!custom_id) {
    fault(at, 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required');
  }
  if (!label && !picture) requiredFault(inside(spot, 'label'));
};

const button = all(
  model({
    required: { style: choice(1, 2, 3, 4, 5, 6) },
    optional: {
      id,
      label: text({ max: 80 }),
      emoji,
      custom_id: text({ max: 100 }),
      url: url({ max: 512, schemes: ['http', 'https', 'discord'] }),
      sku_id: snowflake,
      disabled: boolean,
    },
  }),
  buttonIdentity,
);

const selectFields = {
  required: { custom_id: customId },
  optional: {
    id,
    placeholder: text({ max: 150 }),
    min_values: integer({ min: 0, max: MAX_VALUES }),
    max_values: integer({ min: 1, max: MAX_VALUES }),
    disabled: boolean,
    required: boolean,
  },
};

const optionValues: Rule = (value, spot) => {
  if (!isObject(value)) return;
  const seen = new Set<unknown>();
  for (const [at, option] of objectsIn(value.options).entries()) {
    if (seen.has(option.value)) {
      const place = inside(spot, 'options', at, 'value');
      fault(place, 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used');
    }
    seen.add(option.value);
  }
  const most = typeof value.max_values === 'number' ? value.max_values : 1;
  if (seen.size > 0 && objectsIn(value.options).length < most) {
    const said = `Must be between ${most} and ${MAX_VALUES} in length.`;
    fault(inside(spot, 'options'), 'BASE_TYPE_BAD_LENGTH', said);
  }
  const chosen = objectsIn(value.options).filter((option) => option.default === true).length;
  if (chosen > most) {
    fault(
      inside(spot, 'options'),
      'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES',
      'The specified number of default values exceeds the specified maximum values',
    );
  }
};

const stringSelect = all(
  model({
    required: {
      ...selectFields.required,
      options: list(
        model({
          required: { label: text({ min: 1, max: 100 }), value: text({ min: 1, max: 100 }) },
          optional: { description: text({ max: 100 }), emoji, default: boolean },
        }),
        { min: 1, max: 25 },
      ),
    },
    optional: selectFields.optional,
  }),
  optionValues,
);

const entitySelect = model({
  ...selectFields,
  optional: {
    ...selectFields.optional,
    default_values: list(model({ required: { id: snowflake, type: choice('user', 'role', 'channel') } }), {
      max: MAX_VALUES,
    }),
    channel_types: list(integer({ min: 0 }), { max: 25 }),
  },
});

const selects = {
  [ComponentType.StringSelect]: stringSelect,
  [ComponentType.UserSelect]: entitySelect,
  [ComponentType.RoleSelect]: entitySelect,
  [ComponentType.MentionableSelect]: entitySelect,
  [ComponentType.ChannelSelect]: entitySelect,
};

const isSelect = (type: unknown) => Number(type) in selects;

/** A select is as wide as a row, a button a fifth of it. */
const rowWidth: Rule = (value, spot) => {
  if (!isObject(value)) return;
  let width = 0;
  const parts = objectsIn(value.components);
  // Too many of them is said of the list already.
  if (parts.length > ROW_WIDTH) return;
  for (const [at, part] of parts.entries()) {
    width += isSelect(part.type) ? ROW_WIDTH : 1;
    if (width <= ROW_WIDTH) continue;
    const place = inside(spot, 'components', at);
    fault(place, 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', 'The specified component exceeds the maximum width');
  }
};

const actionRow = all(
  model({
    required: {
      components: list(byType({ [ComponentType.Button]: button, ...selects }), { min: 1, max: ROW_WIDTH }),
    },
    optional: { id },
  }),
  rowWidth,
);

const inputFields = {
  optional: {
    id,
    min_length: integer({ min: 0, max: 4000 }),
    max_length: integer({ min: 1, max: 4000 }),
    required: boolean,
    value: text({ max: 4000 }),
    placeholder: text({ max: 100 }),
  },
  required: { custom_id: customId, style: choice(1, 2) },
};
const labelText = text({ min: 1, max: 45 });
const inputInLabel = model(inputFields);
const inputInRow = model({ ...inputFields, required: { ...inputFields.required, label: labelText } });

const textDisplay = model({ required: { content: text({ min: 1, max: 4000 }) }, optional: { id } });
const media = model({ required: { url: url({ schemes: ['http', 'https', 'attachment'] }) } });
const thumbnail = model({
  required: { media },
  optional: { id, description: text({ max: 1024 }), spoiler: boolean },
});

const section = model({
  required: {
    components: list(byType({ [ComponentType.TextDisplay]: textDisplay }), { min: 1, max: 3 }),
    accessory: byType({ [ComponentType.Button]: button, [ComponentType.Thumbnail]: thumbnail }),
  },
  optional: { id },
});

const v2Parts = {
  [ComponentType.ActionRow]: actionRow,
  [ComponentType.Section]: section,
  [ComponentType.TextDisplay]: textDisplay,
  [ComponentType.MediaGallery]: model({
    required: { items: list(thumbnail, { min: 1, max: 10 }) },
    optional: { id },
  }),
  [ComponentType.File]: model({ required: { file: media }, optional: { id, spoiler: boolean } }),
  [ComponentType.Separator]: model({ optional: { id, divider: boolean, spacing: choice(1, 2) } }),
};
const MAX_V2_PARTS = 40;
const container = model({
  required: { components: list(byType(v2Parts), { min: 1, max: MAX_V2_PARTS }) },
  optional: { id, accent_color: integer({ min: 0, max: 0xffffff }), spoiler: boolean },
});

interface Placed {
  readonly part: Record<string, unknown>;
  readonly spot: Spot;
}

/** Every component with its place, those within others too. */
function* partsIn(value: unknown, spot: Spot): Generator<Placed> {
  for (const [at, part] of objectsIn(value).entries()) {
    const place = inside(spot, at);
    yield { part, spot: place };
    yield* partsIn(part.components, inside(place, 'components'));
    for (const name of ['component', 'accessory']) {
      const one = part[name];
      if (isObject(one)) yield { part: one, spot: inside(place, name) };
    }
  }
}

const uniqueIds: Rule = (value, spot) => {
  const seen = new Set<unknown>();
  for (const { part, spot: place } of partsIn(value, spot)) {
    if (!part.custom_id) continue;
    if (seen.has(part.custom_id)) {
      const at = inside(place, 'custom_id');
      fault(at, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
    }
    seen.add(part.custom_id);
  }
};

const countedParts: Rule = (value, spot) => {
  if ([...partsIn(value, spot)].length <= MAX_V2_PARTS) return;
  fault(spot, 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', `Total number of components cannot exceed ${MAX_V2_PARTS}`);
};

/** A message's components: rows of buttons or a select, five at most. */
export const rows = all(list(byType({ [ComponentType.ActionRow]: actionRow }), { max: 5 }), uniqueIds);

/** Those of a message with the flag IS_COMPONENTS_V2, 40 at most with all that is in them. */
export const v2Components = all(
  list(byType({ ...v2Parts, [ComponentType.Container]: container }), { max: MAX_V2_PARTS }),
  countedParts,
  uniqueIds,
);

const label = model({
  required: { label: labelText, component: byType({ [ComponentType.TextInput]: inputInLabel, ...selects }) },
  optional: { id, description: text({ max: 100 }) },
});
const inputRow = model({
  required: { components: list(byType({ [ComponentType.TextInput]: inputInRow }), { min: 1, max: 1 }) },
  optional: { id },
});

/** A modal's: one to five rows, labels or texts. */
export const modalComponents = all(
  list(
    byType({
      [ComponentType.ActionRow]: inputRow,
      [ComponentType.TextDisplay]: textDisplay,
      [ComponentType.Label]: label,
    }),
    { min: 1, max: 5 },
  ),
  uniqueIds,
);
