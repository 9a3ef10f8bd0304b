import { type Fields, fieldsIn, isGiven, listIn, numberIn, repeatedIn, textIn } from './json.ts';

/** What Discord demands of buttons, menus and what they stand in, and says in words only. */

const ROW = 1;
const BUTTON = 2;
const STRING_SELECT = 3;
const SELECTS = new Set([3, 5, 6, 7, 8]);
const LINK = 5;
const PREMIUM = 6;
const MAX_COMPONENTS = 40;

/** Those that came with the second version of components. */
export const isOfNewKind = ({ type }: Fields): boolean => type !== ROW;

/** A component with all that stands in it, at whatever depth. */
function* withInner(component: Fields, at: string): Generator<{ component: Fields; at: string }> {
  yield { component, at };
  for (const [index, inner] of listIn(component.components).entries())
    yield* withInner(inner, `${at}/components/${index}`);
  if (isGiven(component.accessory)) yield* withInner(fieldsIn(component.accessory), `${at}/accessory`);
}

function* buttonProblems(button: Fields, at: string): Generator<string> {
  const has = (key: string) => isGiven(button[key]);
  if (button.style === LINK) {
    if (!has('url')) yield `${at}: a link button lacks its url`;
    if (has('custom_id')) yield `${at}: a link button has a custom_id`;
    if (has('url') && !/^(https?|discord):\/\//i.test(textIn(button.url))) yield `${at}/url: is no address of a page`;
  } else if (button.style === PREMIUM) {
    if (!has('sku_id')) yield `${at}: a premium button lacks its sku_id`;
    for (const key of ['custom_id', 'label', 'url', 'emoji'])
      if (has(key)) yield `${at}: a premium button has a ${key}`;
    return;
  } else {
    if (!has('custom_id')) yield `${at}: a button lacks its custom_id`;
    if (has('url')) yield `${at}: only a link button has a url`;
  }
  if (has('sku_id')) yield `${at}: only a premium button has a sku_id`;
  if (textIn(button.label).trim() === '' && !has('emoji')) yield `${at}: a button shows nothing`;
}

function* selectProblems(select: Fields, at: string): Generator<string> {
  const options = listIn(select.options);
  const [least, most] = [numberIn(select.min_values) ?? 1, numberIn(select.max_values) ?? 1];
  if (least > most) yield `${at}: min_values is above max_values`;
  if (select.type !== STRING_SELECT) return;
  if (most > options.length) yield `${at}: max_values is above the number of options`;
  for (const value of repeatedIn(options.map((option) => textIn(option.value)))) {
    yield `${at}/options: the value ${value} is there twice`;
  }
  const chosen = options.filter((option) => option.default === true).length;
  if (chosen > most) yield `${at}/options: more are chosen than may be`;
}

function* rowProblems(row: Fields, at: string): Generator<string> {
  const inner = listIn(row.components);
  if (inner.some(({ type }) => SELECTS.has(Number(type))) && inner.length > 1) {
    yield `${at}: a menu takes a row to itself`;
  }
}

/** @param components a message's own, which hold the others */
export function* componentProblems(components: readonly Fields[], at: string): Generator<string> {
  const all = components.flatMap((component, index) => [...withInner(component, `${at}/${index}`)]);
  for (const { component, at: place } of all) {
    if (component.type === BUTTON) yield* buttonProblems(component, place);
    if (component.type === ROW) yield* rowProblems(component, place);
    if (SELECTS.has(Number(component.type))) yield* selectProblems(component, place);
  }
  if (all.length > MAX_COMPONENTS) yield `${at}: more than ${MAX_COMPONENTS} in all`;
  const given = (key: string) =>
    all.filter(({ component }) => isGiven(component[key])).map(({ component }) => component);
  for (const id of repeatedIn(given('custom_id').map(({ custom_id }) => textIn(custom_id)))) {
    yield `${at}: the custom_id ${id} is there twice`;
  }
  for (const id of repeatedIn(given('id').map((component) => String(component.id)))) {
    yield `${at}: the id ${id} is there twice`;
  }
}
