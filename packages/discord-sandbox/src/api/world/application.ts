import type { APIApplicationCommand } from 'discord-api-types/v10';

/** The one application, as its settings page and its API know it. */
export interface Application {
  readonly id: string;
  readonly publicKey: string;
  interactions_endpoint_url: string | null;
  event_webhooks_url: string | null;
  event_webhooks_status: number;
  event_webhooks_types: readonly string[];
  integration_types_config: object;
  commands: readonly APIApplicationCommand[];
}

type Settings = Omit<Application, 'id' | 'publicKey' | 'commands'>;

const newSettings = (): Settings => ({
  interactions_endpoint_url: null,
  event_webhooks_url: null,
  event_webhooks_status: 1,
  event_webhooks_types: [],
  integration_types_config: { '0': {}, '1': {} },
});

export const createApplication = (id: string, publicKey: string): Application => ({
  id,
  publicKey,
  commands: [],
  ...newSettings(),
});

export type SettingsChange = { readonly [Name in keyof Settings]?: Settings[Name] | null };

/** Null makes a setting what it was in the beginning; what the sandbox has no use for is dropped. */
export function changeSettings(application: Application, change: SettingsChange) {
  const changed = Object.entries(newSettings()).flatMap(([name, unset]) => {
    const given = change[name as keyof Settings];
    return given === undefined ? [] : [[name, given ?? unset]];
  });
  Object.assign(application, Object.fromEntries(changed));
}

/** What GET /applications/@me answers. */
export function describeApplication(
  { publicKey, commands: _commands, ...known }: Application,
  redirectUris: readonly string[],
) {
  return {
    ...known,
    name: 'Satchel',
    icon: null,
    description: '',
    verify_key: publicKey,
    bot_public: true,
    bot_require_code_grant: false,
    redirect_uris: redirectUris,
  };
}
