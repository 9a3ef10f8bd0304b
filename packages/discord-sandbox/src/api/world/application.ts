import type { APIApplicationCommand } from 'discord-api-types/v10';
import { botUserOf } from './entities.ts';

/** The one application, as its settings page and its API know it. */
export interface Application {
  readonly id: string;
  readonly publicKey: string;
  interactions_endpoint_url: string | null;
  event_webhooks_url: string | null;
  event_webhooks_status: number;
  event_webhooks_types: readonly string[];
  description: string;
  tags: readonly string[];
  install_params: unknown;
  integration_types_config: unknown;
  custom_install_url: string | null;
  role_connections_verification_url: string | null;
  flags: number;
  commands: readonly APIApplicationCommand[];
}

type Settings = Omit<Application, 'id' | 'publicKey' | 'commands'>;

const newSettings = (): Settings => ({
  interactions_endpoint_url: null,
  event_webhooks_url: null,
  event_webhooks_status: 1,
  event_webhooks_types: [],
  description: '',
  tags: [],
  install_params: null,
  integration_types_config: { '0': {}, '1': {} },
  custom_install_url: null,
  role_connections_verification_url: null,
  flags: 0,
});

export const createApplication = (id: string, publicKey: string): Application => ({
  id,
  publicKey,
  commands: [],
  ...newSettings(),
});

export type SettingsChange = { readonly [Name in keyof Settings]?: Settings[Name] | null };

/** Null makes a setting what it was in the beginning. */
export function changeSettings(application: Application, change: SettingsChange) {
  const given = Object.entries(change).filter(([, value]) => value !== null);
  const unset = Object.entries(newSettings()).filter(([name]) => change[name as keyof Settings] === null);
  Object.assign(application, Object.fromEntries([...unset, ...given]));
}

/** Its own person in Discord, to whom everything else belongs. */
const OWNER = {
  id: '100000000000000002',
  username: 'satchel.owner',
  discriminator: '0',
  global_name: null,
  avatar: null,
  public_flags: 0,
  flags: 0,
  primary_guild: null,
};

/** What GET /applications/@me answers. */
export const describeApplication = (
  application: Application,
  counts: { readonly guilds: number; readonly users: number; readonly redirectUris: readonly string[] },
) => {
  const { id, publicKey, commands: _commands, install_params, custom_install_url, ...settings } = application;
  return {
    ...settings,
    id,
    name: 'Satchel',
    icon: null,
    type: null,
    bot: botUserOf(id),
    owner: OWNER,
    team: null,
    verify_key: publicKey,
    bot_public: true,
    bot_require_code_grant: false,
    hook: true,
    redirect_uris: counts.redirectUris,
    rpc_origins: [],
    approximate_guild_count: counts.guilds,
    approximate_user_install_count: counts.users,
    approximate_user_authorization_count: counts.users,
    explicit_content_filter: 0,
    flags_new: String(application.flags),
    eligible_oauth2_scopes: ['identify', 'email', 'bot', 'applications.commands'],
    ...(install_params !== null && { install_params }),
    ...(custom_install_url !== null && { custom_install_url }),
  };
};
