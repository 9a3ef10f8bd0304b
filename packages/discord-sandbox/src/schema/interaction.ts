import { type Fields, fieldsIn, isGiven, listIn, numberIn } from './json.ts';
import { createCheck, problemsBySchema } from './schema.ts';

/** What Discord sends to an application. Its OpenAPI document leaves this out: it is written down from its documentation. */

const PING = 1;
const COMMAND = 2;
const COMPONENT = 3;
const AUTOCOMPLETE = 4;
const MODAL_SUBMIT = 5;
const GUILD = 0;
const USER_OPTION = 6;
const BUTTON = 2;

const snowflake = { type: 'string', pattern: '^[1-9]\\d{16,19}$' };
const bits = { type: 'string', pattern: '^(0|[1-9]\\d*)$' };
const text = { type: 'string', minLength: 1 };
const object = (properties: Readonly<Record<string, object>>, ...optional: readonly string[]) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const listOf = (items: object) => ({ type: 'array', items });
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });

const user = object({
  id: snowflake,
  username: text,
  discriminator: { type: 'string', pattern: '^(0|\\d{4})$' },
  global_name: orNull(text),
  avatar: orNull(text),
});
const partialMember = {
  roles: listOf(snowflake),
  joined_at: { type: 'string', format: 'date-time' },
  permissions: bits,
  flags: { type: 'integer' },
};
const member = object({ ...partialMember, user, deaf: { type: 'boolean' }, mute: { type: 'boolean' } });
const resolved = object(
  {
    users: { type: 'object', additionalProperties: user },
    members: { type: 'object', additionalProperties: object(partialMember) },
  },
  'users',
  'members',
);

const frame = {
  id: snowflake,
  application_id: snowflake,
  token: text,
  version: { const: 1 },
  type: { type: 'integer' },
};

const act = object(
  {
    ...frame,
    channel_id: snowflake,
    channel: object({ id: snowflake, type: { type: 'integer' } }),
    guild_id: snowflake,
    guild: object({ id: snowflake, locale: text, features: listOf(text) }),
    guild_locale: text,
    member,
    user,
    app_permissions: bits,
    locale: text,
    entitlements: listOf({ type: 'object' }),
    authorizing_integration_owners: { type: 'object', additionalProperties: { type: 'string', pattern: '^\\d+$' } },
    context: { enum: [0, 1, 2] },
    attachment_size_limit: { type: 'integer', minimum: 1 },
    message: { type: 'object' },
    data: { type: 'object' },
  },
  'guild_id',
  'guild',
  'guild_locale',
  'member',
  'user',
  'message',
);

const option = object(
  { name: text, type: { type: 'integer' }, value: { type: ['string', 'number', 'boolean'] }, focused: { const: true } },
  'focused',
);
const commandData = object(
  { id: snowflake, name: text, type: { const: 1 }, options: listOf(option), resolved },
  'options',
  'resolved',
);
const componentData = object(
  { custom_id: text, component_type: { type: 'integer' }, id: { type: 'integer' }, values: listOf(text), resolved },
  'values',
  'resolved',
);
const field = object({
  type: { type: 'integer' },
  id: { type: 'integer' },
  custom_id: text,
  value: { type: 'string' },
});
const submitData = object({
  custom_id: text,
  components: listOf(object({ type: { const: 18 }, id: { type: 'integer' }, component: field })),
});

const checkFrame = createCheck(object(frame));
const checkAct = createCheck(act);
const CHECK_OF_DATA: Readonly<Record<number, (value: unknown) => string[]>> = {
  [COMMAND]: createCheck(object({ data: commandData })),
  [AUTOCOMPLETE]: createCheck(object({ data: commandData })),
  [COMPONENT]: createCheck(object({ data: componentData })),
  [MODAL_SUBMIT]: createCheck(object({ data: submitData })),
};
// Its timestamps are of UTC, and say so or not.
const checkEventBody = createCheck(
  object(
    {
      version: { const: 1 },
      application_id: snowflake,
      type: { enum: [0, 1] },
      event: object(
        { type: text, timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT' }, data: { type: 'object' } },
        'data',
      ),
    },
    'event',
  ),
);

/** In a server a member did it, and elsewhere a user: never both. */
function* whoProblems(interaction: Fields): Generator<string> {
  const isInServer = interaction.context === GUILD;
  const [wanted, other] = isInServer ? ['member', 'user'] : ['user', 'member'];
  if (!isGiven(interaction[wanted])) yield `/: lacks ${wanted}`;
  if (isGiven(interaction[other])) yield `/: has ${other} in the context ${interaction.context}`;
  for (const key of ['guild_id', 'guild', 'guild_locale']) {
    if (isGiven(interaction[key]) !== isInServer) yield `/: ${isInServer ? 'lacks' : 'has'} ${key}`;
  }
  if (fieldsIn(interaction.channel).id !== interaction.channel_id) yield '/channel: is another than channel_id';
  const owners = Object.keys(fieldsIn(interaction.authorizing_integration_owners));
  if (owners.length === 0 || owners.some((key) => key !== '0' && key !== '1')) {
    yield '/authorizing_integration_owners: names no kind of installation';
  }
}

function* optionProblems(interaction: Fields): Generator<string> {
  const data = fieldsIn(interaction.data);
  const options = listIn(data.options);
  const users = fieldsIn(fieldsIn(data.resolved).users);
  for (const { type, value, name } of options) {
    if (type === USER_OPTION && !isGiven(users[String(value)])) yield `/data/resolved: lacks the person of ${name}`;
  }
  const focused = options.filter((each) => each.focused === true).length;
  const wanted = interaction.type === AUTOCOMPLETE ? 1 : 0;
  if (focused !== wanted) yield `/data/options: ${focused} are focused`;
}

/** Of who wrote it an interaction says a little less than the API does. */
const IS_LESS = /(author|user): lacks flags$/;

function* messageProblems(interaction: Fields): Generator<string> {
  if (interaction.type === COMPONENT && !isGiven(interaction.message)) yield '/: lacks message';
  if (!isGiven(interaction.message)) return;
  const problems = problemsBySchema('MessageResponse', interaction.message, 'open', '/message');
  yield* problems.filter((problem) => !IS_LESS.test(problem));
}

function* componentProblems(interaction: Fields): Generator<string> {
  const { component_type, values } = fieldsIn(interaction.data);
  const isMenu = component_type !== BUTTON;
  if (isMenu !== Array.isArray(values)) yield `/data: ${isMenu ? 'lacks' : 'has'} values`;
}

/** An interaction as it is sent to the endpoint. */
export function interactionProblems(body: unknown): string[] {
  const interaction = fieldsIn(body);
  const type = numberIn(interaction.type) ?? 0;
  if (type === PING) return checkFrame(body);
  const checkData = CHECK_OF_DATA[type];
  if (checkData === undefined) return ['/type: is of no interaction'];
  return [
    ...checkAct(body),
    ...checkData(body),
    ...whoProblems(interaction),
    ...(type === COMMAND || type === AUTOCOMPLETE ? optionProblems(interaction) : []),
    ...(type === COMPONENT ? componentProblems(interaction) : []),
    ...messageProblems(interaction),
  ];
}

/** An event as it is sent to the events' endpoint. */
export function eventProblems(body: unknown): string[] {
  const { type, event } = fieldsIn(body);
  const isLacking = type === 1 && !isGiven(event);
  return [...checkEventBody(body), ...(isLacking ? ['/: lacks event'] : [])];
}
