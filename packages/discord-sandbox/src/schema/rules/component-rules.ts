import { fault, inside, type Rule, requiredFault, type Spot, typeFault } from '../faults.ts';
import { type Fields, fieldsIn, isGiven, listIn, numberIn, textIn } from '../json.ts';
import { checkLimits } from './command-rules.ts';
import { checkScheme } from './url-schemes.ts';

/** What Discord demands of buttons, selects and what they stand in, and says in words only. */

const ROW = 1;
const BUTTON = 2;
const STRING_SELECT = 3;
const SELECTS: ReadonlySet<unknown> = new Set([3, 5, 6, 7, 8]);
const LINK = 5;
const PREMIUM = 6;
const ROW_WIDTH = 5;
const MAX_OPTIONS = 25;
const MAX_ROWS = 5;
const MAX_PARTS = 40;

const isShown = (text: unknown) => textIn(text).trim() !== '';

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
    for (const name of ['component', 'accessory']) {
      if (isGiven(part[name])) yield { part: fieldsIn(part[name]), spot: inside(place, name) };
    }
  }
}

function checkPremium(button: Fields, spot: Spot) {
  if (!isGiven(button.sku_id))
    fault(inside(spot, 'sku_id'), 'BUTTON_COMPONENT_SKU_ID_REQUIRED', 'A sku id is required');
  for (const name of ['custom_id', 'label', 'url', 'emoji']) {
    if (!isGiven(button[name])) continue;
    fault(inside(spot, name), 'BUTTON_COMPONENT_PREMIUM_EXCLUSIVE', `A premium button has no ${name}`);
  }
}

/** A link has an address and no custom_id; any other button has it the other way round. */
function checkButton(button: Fields, spot: Spot) {
  const { style, url, custom_id, label, emoji, sku_id } = button;
  const at = inside(spot, 'custom_id');
  checkScheme(url, inside(spot, 'url'), ['http', 'https', 'discord']);
  if (url && custom_id) {
    const said = 'A custom id and url cannot both be specified';
    return fault(at, 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', said);
  }
  if (style === PREMIUM) return checkPremium(button, spot);
  if (isGiven(sku_id)) {
    fault(inside(spot, 'sku_id'), 'BUTTON_COMPONENT_PREMIUM_EXCLUSIVE', 'Only a premium button has a sku_id');
  }
  if (style === LINK) {
    if (!url) fault(inside(spot, 'url'), 'BUTTON_COMPONENT_URL_REQUIRED', 'A url is required');
  } else if (!custom_id) {
    fault(at, 'BUTTON_COMPONENT_CUSTOM_ID_REQUIRED', 'A custom id is required');
  }
  if (!isShown(label) && !emoji) requiredFault(inside(spot, 'label'));
}

function checkOptions(select: Fields, spot: Spot, most: number) {
  const options = listIn(select.options);
  const place = inside(spot, 'options');
  const seen = new Set<unknown>();
  for (const [at, { value }] of options.entries()) {
    if (seen.has(value)) {
      const said = 'The specified option value is already used';
      fault(inside(place, at, 'value'), 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', said);
    }
    seen.add(value);
  }
  if (options.length > 0 && options.length < most) {
    fault(place, 'BASE_TYPE_BAD_LENGTH', `Must be between ${most} and ${MAX_OPTIONS} in length.`);
  }
  if (options.filter((option) => option.default === true).length > most) {
    const said = 'The specified number of default values exceeds the specified maximum values';
    fault(place, 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', said);
  }
}

function checkSelect(select: Fields, spot: Spot) {
  const [least, most] = [numberIn(select.min_values) ?? 1, numberIn(select.max_values) ?? 1];
  checkLimits({ min_values: least, max_values: most }, spot, 'min_values', 'max_values');
  if (select.type === STRING_SELECT) checkOptions(select, spot, most);
}

/** Five buttons fill a row, or one select. */
function checkRow(row: Fields, spot: Spot) {
  const parts = listIn(row.components);
  // Too many of them is said of the list already.
  if (parts.length > ROW_WIDTH) return;
  let width = 0;
  for (const [at, { type }] of parts.entries()) {
    width += SELECTS.has(type) ? ROW_WIDTH : 1;
    if (width <= ROW_WIDTH) continue;
    const said = 'The specified component exceeds the maximum width';
    fault(inside(spot, 'components', at), 'COMPONENT_LAYOUT_WIDTH_EXCEEDED', said);
  }
}

function checkRepeated(parts: readonly Placed[], name: 'custom_id' | 'id', code: string, said: string) {
  const seen = new Set<unknown>();
  for (const { part, spot } of parts) {
    const value = part[name];
    // Zero asks for any id, as nothing does.
    if (!value) continue;
    if (seen.has(value)) fault(inside(spot, name), code, said);
    seen.add(value);
  }
}

/** The components of a message or a modal. */
export const componentsRule: Rule = (value, spot) => {
  const parts = [...partsIn(value, spot)];
  for (const { part, spot: place } of parts) {
    if (part.type === BUTTON) checkButton(part, place);
    if (part.type === ROW) checkRow(part, place);
    if (SELECTS.has(part.type)) checkSelect(part, place);
    checkScheme(fieldsIn(part.media).url, inside(place, 'media', 'url'), ['http', 'https', 'attachment']);
  }
  checkRepeated(parts, 'custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  checkRepeated(parts, 'id', 'COMPONENT_ID_DUPLICATED', 'Component id cannot be duplicated');
};

/** Those of a message without the flag IS_COMPONENTS_V2: five rows at most, and nothing beside them. */
export const rowsRule: Rule = (value, spot) => {
  const parts = listIn(value);
  if (parts.length > MAX_ROWS) fault(spot, 'BASE_TYPE_MAX_LENGTH', `Must be ${MAX_ROWS} or fewer in length.`);
  for (const [at, { type }] of parts.entries()) {
    if (isGiven(type) && type !== ROW) typeFault(inside(spot, at), [ROW]);
  }
};

/** Those of a message with that flag: 40 at most, with all that is in them. */
export const countedRule: Rule = (value, spot) => {
  if ([...partsIn(value, spot)].length <= MAX_PARTS) return;
  fault(spot, 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', `Total number of components cannot exceed ${MAX_PARTS}`);
};
