import { bySchema } from '../by-schema.ts';
import { all, fault, inside, type Rule, type Spot } from '../faults.ts';
import { type Fields, fieldsIn, isGiven, listIn, numberIn } from '../json.ts';
import { componentsRule, countedRule, rowsRule } from './component-rules.ts';
import { embedsRule } from './embed-rules.ts';

/** What Discord demands of a message and says in words only. */

const COMPONENTS_V2 = 1 << 15;

/** Whether these flags make a message one of components of the second version. */
export const isV2 = (flags: unknown): boolean => ((numberIn(flags) ?? 0) & COMPONENTS_V2) !== 0;

/** Naming whom one may mention, and all of their kind as well, contradict each other. */
function checkMentions(mentions: Fields, spot: Spot) {
  const parse: readonly unknown[] = Array.isArray(mentions.parse) ? mentions.parse : [];
  for (const kind of ['users', 'roles'] as const) {
    const named = mentions[kind];
    if (!parse.includes(kind) || !Array.isArray(named) || named.length === 0) continue;
    const said = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
    fault(spot, 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', said);
  }
}

const ofAll: Rule = (value, spot) => {
  const message = fieldsIn(value);
  checkMentions(fieldsIn(message.allowed_mentions), inside(spot, 'allowed_mentions'));
  embedsRule(message.embeds, inside(spot, 'embeds'));
  componentsRule(message.components, inside(spot, 'components'));
  for (const at of listIn(message.attachments).keys()) {
    fault(inside(spot, 'attachments', at), 'ATTACHMENT_NOT_FOUND', 'Attachment data not found');
  }
};

const isEmpty = (value: unknown) => !isGiven(value) || value === '' || (Array.isArray(value) && value.length === 0);

const legacyFields: Rule = (value, spot) => {
  const message = fieldsIn(value);
  for (const name of ['content', 'embeds', 'poll', 'sticker_ids']) {
    if (isEmpty(message[name])) continue;
    fault(
      inside(spot, name),
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      `The '${name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
    );
  }
};

const keepsV2: Rule = (value, spot) => {
  const { flags } = fieldsIn(value);
  if (typeof flags !== 'number' || isV2(flags)) return;
  const said = 'The IS_COMPONENTS_V2 flag cannot be removed from a message';
  fault(inside(spot, 'flags'), 'MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG', said);
};

const components =
  (rule: Rule): Rule =>
  (value, spot) =>
    rule(fieldsIn(value).components, inside(spot, 'components'));

const classic = components(rowsRule);
const ofV2 = all(components(countedRule), legacyFields);

/**
 * A message by the rules in words alone.
 * @param editedFlags of the message that is edited, where that is known
 */
export const messageInWords =
  (editedFlags?: number): Rule =>
  (value, spot) => {
    const wasV2 = isV2(editedFlags);
    if (wasV2 || isV2(fieldsIn(value).flags)) ofV2(value, spot);
    else classic(value, spot);
    if (wasV2) keepsV2(value, spot);
    ofAll(value, spot);
  };

const SCHEMAS = {
  new: bySchema('IncomingWebhookInteractionRequest'),
  edit: bySchema('IncomingWebhookUpdateRequestPartial'),
};

/** What a message is sent as. */
export type Sent = keyof typeof SCHEMAS;

/** A message, or what changes one. */
export const messageRule = (sent: Sent, editedFlags?: number): Rule => all(messageInWords(editedFlags), SCHEMAS[sent]);
