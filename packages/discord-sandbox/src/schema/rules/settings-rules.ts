import { bySchema } from '../by-schema.ts';
import { fault, inside, type Rule, type Spot } from '../faults.ts';
import { fieldsIn } from '../json.ts';
import { checkScheme } from './url-schemes.ts';

/** What Discord demands of an application's settings, and says in words only. */

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const INSTALLATIONS = ['0', '1'];

/** Discord wants https. What runs on this very machine may do without. */
function checkEndpoint(value: unknown, spot: Spot) {
  const isLocal = typeof value === 'string' && URL.canParse(value) && LOOPBACK.test(new URL(value).hostname);
  checkScheme(value, spot, isLocal ? ['https', 'http'] : ['https']);
}

const settingsBySchema = bySchema('ApplicationFormPartial');

/** What changes an application's settings. */
export const settingsRule: Rule = (value, spot) => {
  settingsBySchema(value, spot);
  const settings = fieldsIn(value);
  for (const name of ['interactions_endpoint_url', 'event_webhooks_url']) {
    checkEndpoint(settings[name], inside(spot, name));
  }
  for (const name of ['custom_install_url', 'role_connections_verification_url']) {
    checkScheme(settings[name], inside(spot, name), ['http', 'https']);
  }
  for (const kind of Object.keys(fieldsIn(settings.integration_types_config))) {
    if (INSTALLATIONS.includes(kind)) continue;
    const list = INSTALLATIONS.map((one) => `'${one}'`).join(', ');
    fault(inside(spot, 'integration_types_config', kind), 'BASE_TYPE_CHOICES', `Value must be one of {${list}}.`);
  }
};
