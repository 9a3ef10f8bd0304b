/** Markup that is safe to send as it stands. Only `html` makes it. */
export interface Markup {
  readonly markup: string;
}

type Slot = string | number | Markup | readonly Markup[];

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function fill(slot: Slot): string {
  if (typeof slot === 'string') return slot.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
  if (typeof slot === 'number') return String(slot);
  return 'markup' in slot ? slot.markup : slot.map((part) => part.markup).join('');
}

/** A template whose slots are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...slots: Slot[]): Markup {
  return { markup: parts.reduce((whole, part, index) => whole + fill(slots[index - 1] ?? '') + part) };
}
