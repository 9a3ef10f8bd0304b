import type { APIApplicationCommand } from 'discord-api-types/v10';

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

export const createApplication = (id: string, publicKey: string): Application => ({
  id,
  publicKey,
  interactions_endpoint_url: null,
  event_webhooks_url: null,
  event_webhooks_status: 1,
  event_webhooks_types: [],
  description: '',
  tags: [],
  install_params: undefined,
  integration_types_config: { '0': {}, '1': {} },
  custom_install_url: null,
  role_connections_verification_url: null,
  flags: 0,
  commands: [],
});
