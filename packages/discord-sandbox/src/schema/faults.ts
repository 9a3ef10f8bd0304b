/** What is wrong with a body, place by place, and the rules that find it out. */

export type Path = readonly (string | number)[];

/** A code and a text as Discord's API answers them. The codes aren't documented, but reported all over its libraries. */
export interface Fault {
  readonly path: Path;
  readonly code: string;
  readonly message: string;
}

export interface Spot {
  readonly path: Path;
  readonly report: (fault: Fault) => void;
}
export type Rule = (value: unknown, spot: Spot) => void;

export const inside = ({ path, report }: Spot, ...keys: Path): Spot => ({ path: [...path, ...keys], report });
export const fault = ({ path, report }: Spot, code: string, message: string) => report({ path, code, message });

export const requiredFault = (spot: Spot) => fault(spot, 'BASE_TYPE_REQUIRED', 'This field is required');

/** Rules in a row; each sees the value, whatever the others made of it. */
export const all =
  (...rules: readonly Rule[]): Rule =>
  (value, spot) => {
    for (const rule of rules) rule(value, spot);
  };

/** Faults of a part as a whole: faults inside the same part are not reported beside them. */
const COVERS = new Set(['UNION_TYPE_CHOICES']);

/** What a component, option or command of a strange `type` is told, with the types as Python writes a tuple. */
export function typeFault(spot: Spot, types: readonly unknown[]) {
  const sorted = types.map(Number).sort((a, b) => a - b);
  const tuple = sorted.length === 1 ? `(${sorted[0]},)` : `(${sorted.join(', ')})`;
  fault(spot, 'UNION_TYPE_CHOICES', `Value of field "type" must be one of ${tuple}.`);
}

const placeOf = (path: Path) => path.map((key) => `/${key}`).join('');

/** Every fault by that rule, each once. */
export function faultsBy(rule: Rule, value: unknown, path: Path = []): readonly Fault[] {
  const found: Fault[] = [];
  rule(value, { path, report: (one) => found.push(one) });
  const covered = found.filter(({ code }) => COVERS.has(code)).map((one) => `${placeOf(one.path)}/`);
  const seen = new Set<string>();
  return found.filter((one) => {
    const place = placeOf(one.path);
    const name = `${place} ${one.code}`;
    if (seen.has(name) || covered.some((start) => place.startsWith(start))) return false;
    seen.add(name);
    return true;
  });
}

/** The faults by a rule as lines for people, such as `/components/0/url: A url is required`. */
export const linesBy = (rule: Rule, value: unknown, path: Path = []): string[] =>
  faultsBy(rule, value, path).map(({ path: at, message }) => `${placeOf(at) || '/'}: ${message}`);
