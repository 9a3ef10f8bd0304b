import type { SettingsChange } from './application.ts';
import { checkForm, choice, fault, inside, integer, isObject, list, model, type Rule, text, url } from './form.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Discord wants https. What runs on this very machine may do without. */
const endpoint: Rule = (value, spot) => {
  url()(value, spot);
  if (typeof value !== 'string' || !URL.canParse(value)) return;
  const { protocol, hostname } = new URL(value);
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))) return;
  fault(spot, 'URL_TYPE_INVALID_SCHEME', `Scheme "http" is not supported. Scheme must be one of ('https').`);
};

/** A number by Discord's published schema, a string by its pages; it takes both, and answers with the string. */
const permissions: Rule = (value, spot) =>
  typeof value === 'number' ? integer({ min: 0 })(value, spot) : text({ min: 1, max: 20 })(value, spot);
const installParams = model({ required: { scopes: list(text({ max: 100 }), { max: 50 }), permissions } });
const asTold = (key: string, value: unknown): unknown =>
  key === 'permissions' && typeof value === 'number' ? String(value) : value;
const integrationTypes: Rule = (value, spot) => {
  model({})(value, spot);
  if (!isObject(value)) return;
  for (const [type, given] of Object.entries(value)) {
    const place = inside(spot, type);
    choice('0', '1')(type, place);
    model({ optional: { oauth2_install_params: installParams } })(given, place);
  }
};

const EVENT_TYPES = [
  'APPLICATION_AUTHORIZED',
  'APPLICATION_DEAUTHORIZED',
  'ENTITLEMENT_CREATE',
  'ENTITLEMENT_UPDATE',
  'ENTITLEMENT_DELETE',
  'QUEST_USER_ENROLLMENT',
] as const;

const settings = model({
  optional: {
    interactions_endpoint_url: endpoint,
    event_webhooks_url: endpoint,
    event_webhooks_status: choice(1, 2),
    event_webhooks_types: list(choice(...EVENT_TYPES), { max: EVENT_TYPES.length }),
    description: text({ max: 400 }),
    tags: list(text({ min: 1, max: 20 }), { max: 5 }),
    custom_install_url: url(),
    role_connections_verification_url: url(),
    install_params: installParams,
    integration_types_config: integrationTypes,
    flags: integer({ min: 0 }),
  },
});

/** What Discord's settings page, and its API, let one change of an application. */
const NAMES = [
  'interactions_endpoint_url',
  'event_webhooks_url',
  'event_webhooks_status',
  'event_webhooks_types',
  'description',
  'tags',
  'custom_install_url',
  'role_connections_verification_url',
  'install_params',
  'integration_types_config',
  'flags',
] as const satisfies readonly (keyof SettingsChange)[];

/** @throws DiscordError 50035 */
export function readSettingsChange(body: unknown): SettingsChange {
  checkForm(body, settings);
  const given = JSON.parse(JSON.stringify(body, asTold)) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(NAMES.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}
