import { bySchema } from '../by-schema.ts';
import { fault, inside, type Rule, type Spot } from '../faults.ts';
import { fieldsIn } from '../json.ts';

/** What Discord demands of an application's settings, and says in words only. */

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Discord wants https. What runs on this very machine may do without. What is no address is said by the schema. */
function checkEndpoint(value: unknown, spot: Spot) {
  if (typeof value !== 'string' || !URL.canParse(value)) return;
  const { protocol, hostname } = new URL(value);
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return;
  const said = `Scheme "${protocol.slice(0, -1)}" is not supported. Scheme must be one of ('https').`;
  fault(spot, 'URL_TYPE_INVALID_SCHEME', said);
}

const settingsBySchema = bySchema('ApplicationFormPartial');

/** What changes an application's settings. */
export const settingsRule: Rule = (value, spot) => {
  settingsBySchema(value, spot);
  const settings = fieldsIn(value);
  for (const name of ['interactions_endpoint_url', 'event_webhooks_url']) {
    checkEndpoint(settings[name], inside(spot, name));
  }
};
