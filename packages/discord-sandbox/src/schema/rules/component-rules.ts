import { fault, inside, type Rule, requiredFault, type Spot } from '../faults.ts';
import { type Fields, fieldsIn, isGiven, listIn, textIn } from '../json.ts';

/** What Discord demands of buttons, selects and what they stand in, and says in words only. */

const ROW = 1;
const BUTTON = 2;
const MENU = 3;
const LINK = 5;
const ROW_WIDTH = 5;

interface Placed {
  readonly part: Fields;
  readonly spot: Spot;
}

/** Every component with its place, those within others too. */
function* partsIn(value: unknown, spot: Spot): Generator<Placed> {
  for (const [at, part] of listIn(value).entries()) {
    const place = inside(spot, at);
    yield { part, spot: place };
    yield* partsIn(part.components, inside(place, 'components'));
    if (isGiven(part.component)) yield { part: fieldsIn(part.component), spot: inside(place, 'component') };
  }
}

/** A link has an address and no custom_id; any other button has it the other way round. */
function checkButton({ style, url, custom_id, label, emoji }: Fields, spot: Spot) {
  const at = inside(spot, 'custom_id');
  if (url && custom_id) {
    const said = 'A custom id and url cannot both be specified';
    return fault(at, 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', said);
  }
  if (style === LINK) {
    if (!url) fault(inside(spot, 'url'), 'BUTTON_COMPONENT_URL_REQUIRED', 'A url is required');
  } else if (!custom_id) {
    fault(at, 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required');
  }
  if (textIn(label).trim() === '' && !emoji) requiredFault(inside(spot, 'label'));
}

/** Tells of every value that a list has more than once. */
function checkRepeated(values: Iterable<readonly [value: unknown, spot: Spot]>, code: string, said: string) {
  const seen = new Set<unknown>();
  for (const [value, spot] of values) {
    if (!value) continue;
    if (seen.has(value)) fault(spot, code, said);
    seen.add(value);
  }
}

function checkSelect(select: Fields, spot: Spot) {
  const place = inside(spot, 'options');
  const options = listIn(select.options);
  checkRepeated(
    options.map(({ value }, at) => [value, inside(place, at, 'value')]),
    'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    'The specified option value is already used',
  );
  if (options.filter((option) => option.default === true).length > (Number(select.max_values) || 1)) {
    const said = 'The specified number of default values exceeds the specified maximum values';
    fault(place, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', said);
  }
}

/** Five buttons fill a row, or one select. */
function checkRow(row: Fields, spot: Spot) {
  const parts = listIn(row.components);
  // Too many of them is said of the list already.
  if (parts.length > ROW_WIDTH) return;
  let width = 0;
  for (const [at, { type }] of parts.entries()) {
    width += type === MENU ? ROW_WIDTH : 1;
    if (width <= ROW_WIDTH) continue;
    const said = 'The specified component exceeds the maximum width';
    fault(inside(spot, 'components', at), 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', said);
  }
}

/** The components of a message or a modal. */
export const componentsRule: Rule = (value, spot) => {
  const parts = [...partsIn(value, spot)];
  for (const { part, spot: place } of parts) {
    if (part.type === BUTTON) checkButton(part, place);
    if (part.type === ROW) checkRow(part, place);
    if (part.type === MENU) checkSelect(part, place);
  }
  checkRepeated(
    parts.map(({ part, spot: place }) => [part.custom_id, inside(place, 'custom_id')]),
    'COMPONENT_CUSTOM_ID_DUPLICATED',
    'Component custom id cannot be duplicated',
  );
};
