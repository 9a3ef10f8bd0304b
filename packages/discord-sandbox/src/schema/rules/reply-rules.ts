import { bySchema } from '../by-schema.ts';
import { all, fault, inside, type Rule, requiredFault, type Spot } from '../faults.ts';
import { fieldsIn, isGiven, lengthOf, listIn, numberIn, textIn } from '../json.ts';
import { componentsRule } from './component-rules.ts';

/** What Discord demands of the answers to an interaction, and says in words only. */

/** The type of an answer to an interaction. */
export const PONG = 1;
export const MESSAGE = 4;
export const DEFERRED_MESSAGE = 5;
export const DEFERRED_UPDATE = 6;
export const UPDATE = 7;
export const CHOICES = 8;
export const MODAL = 9;

export const EPHEMERAL = 1 << 6;

const ANSWERS_OF: Readonly<Record<number, readonly number[]>> = {
  1: [PONG],
  2: [MESSAGE, DEFERRED_MESSAGE, MODAL],
  3: [MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL],
  4: [CHOICES],
  5: [MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE],
};

/** What may answer an interaction of that type. A modal's submission updates a message only where it came from one. */
export function answersTo(type: number, hasMessage: boolean): readonly number[] {
  const answers = ANSWERS_OF[type] ?? [];
  return hasMessage ? answers : answers.filter((answer) => answer !== UPDATE && answer !== DEFERRED_UPDATE);
}

const choicesFault = (spot: Spot, values: readonly unknown[]) =>
  fault(spot, 'BASE_TYPE_CHOICES', `Value must be one of {${values.join(', ')}}.`);

/** The type of an answer, beside all that it says. */
export const typeRule =
  (types: readonly number[]): Rule =>
  (value, spot) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return fault(spot, 'MODEL_TYPE_CONVERT', 'Expected an object/dictionary.');
    }
    const { type } = fieldsIn(value);
    const place = inside(spot, 'type');
    if (!isGiven(type)) requiredFault(place);
    else if (!types.some((one) => one === type)) choicesFault(place, types);
  };

/** While a message is still to come, only that it will be ephemeral can be said of it. */
export const deferralRule: Rule = (data, spot) => {
  const { flags } = fieldsIn(data);
  if (isGiven(flags) && flags !== 0 && flags !== EPHEMERAL) choicesFault(inside(spot, 'flags'), [0, EPHEMERAL]);
};

/** What is suggested for an option of text, as all are that suggest anything. */
export const suggestionsRule = bySchema('InteractionApplicationCommandAutocompleteCallbackStringData');

/** A modal by the rules in words alone: what a field is filled with fits into it. */
export const modalInWords: Rule = (data, spot) => {
  const { components } = fieldsIn(data);
  componentsRule(components, inside(spot, 'components'));
  for (const [at, part] of listIn(components).entries()) {
    const { value, max_length } = fieldsIn(part.component);
    const most = numberIn(max_length);
    if (most === undefined || lengthOf(textIn(value)) <= most) continue;
    const place = inside(spot, 'components', at, 'component', 'value');
    fault(place, 'BASE_TYPE_BAD_LENGTH', `Must be between 0 and ${most} in length.`);
  }
};

/** A modal. */
export const modalRule = all(bySchema('ModalInteractionCallbackRequestData'), modalInWords);
