import { bySchema } from '../by-schema.ts';
import { all, fault, inside, type Rule, requiredFault, type Spot } from '../faults.ts';
import { type Fields, fieldsIn, isGiven, lengthOf, listIn, numberIn, textIn } from '../json.ts';
import { checkLimits, choiceRule } from './command-rules.ts';
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

const CHOICES_DATA = {
  String: bySchema('InteractionApplicationCommandAutocompleteCallbackStringData'),
  Integer: bySchema('InteractionApplicationCommandAutocompleteCallbackIntegerData'),
  Number: bySchema('InteractionApplicationCommandAutocompleteCallbackNumberData'),
};

/** What is suggested, by the rules in words alone. */
export const suggestionsInWords: Rule = (data, spot) => {
  for (const [at, choice] of listIn(fieldsIn(data).choices).entries()) choiceRule(choice, inside(spot, 'choices', at));
};

/** What is suggested for an option of that kind. */
export const suggestionsRule = (kind: 'String' | 'Integer' | 'Number'): Rule =>
  all(CHOICES_DATA[kind], suggestionsInWords);

function checkInput(input: Fields, spot: Spot) {
  checkLimits(input, spot, 'min_length', 'max_length');
  const [least, most] = [numberIn(input.min_length) ?? 0, numberIn(input.max_length)];
  const length = lengthOf(textIn(input.value));
  if (length === 0 || most === undefined || (length >= least && length <= most)) return;
  fault(inside(spot, 'value'), 'BASE_TYPE_BAD_LENGTH', `Must be between ${least} and ${most} in length.`);
}

/** A modal by the rules in words alone: a field has its label in its row, or around it. */
export const modalInWords: Rule = (data, spot) => {
  const { components } = fieldsIn(data);
  componentsRule(components, inside(spot, 'components'));
  for (const [at, part] of listIn(components).entries()) {
    const place = inside(spot, 'components', at);
    for (const [inRow, input] of listIn(part.components).entries()) {
      const where = inside(place, 'components', inRow);
      if (!isGiven(input.label)) requiredFault(inside(where, 'label'));
      checkInput(input, where);
    }
    const labelled = fieldsIn(part.component);
    const where = inside(place, 'component');
    if (isGiven(labelled.label))
      fault(inside(where, 'label'), 'COMPONENT_LABEL_NESTED', 'A label holds no other label');
    checkInput(labelled, where);
  }
};

/** A modal. */
export const modalRule = all(bySchema('ModalInteractionCallbackRequestData'), modalInWords);
