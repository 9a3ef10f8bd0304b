import { faultsBy, type Path, type Rule } from '../../schema/faults.ts';
import { type FieldError, type FieldErrors, invalidForm, unreadableBody } from '../discord-error.ts';

const MAX_DEPTH = 50;

/** No body that means something is this deep; going down into one that is would be the end of the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}

// Fields have the names that the sender gave them, `__proto__` among them.
const noErrors = (): FieldErrors => Object.create(null);

function put(errors: FieldErrors, path: Path, error: FieldError) {
  let node = errors;
  for (const key of path) {
    node[key] ??= noErrors();
    node = node[key] as FieldErrors;
  }
  const known = Array.isArray(node._errors) ? node._errors : [];
  node._errors = [...known, error];
}

/** @throws DiscordError 50035 with every fault that was found, by its place; 50109 for a body too deep to be one */
export function checkForm(value: unknown, rule: Rule, path: Path = []) {
  if (isTooDeep(value)) throw unreadableBody();
  const faults = faultsBy(rule, value, path);
  if (faults.length === 0) return;
  const errors = noErrors();
  for (const { path: at, code, message } of faults) put(errors, at, { code, message });
  throw invalidForm(errors);
}
