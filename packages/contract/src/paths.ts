/** Paths and names, apart from the schemas: a page needs them before it parses anything. */

export const PATHS = {
  authorize: '/auth/v1/authorize',
  oauthCallback: '/auth/v1/callback',
  session: '/auth/v1/session',
  user: '/auth/v1/user',
  logout: '/auth/v1/logout',
  sessions: '/auth/v1/sessions',
  rpc: '/rest/v1/rpc',
  folders: '/rest/v1/folders',
  uploads: '/rest/v1/uploads',
  serverTime: '/rest/v1/server_time',
  profileMe: '/rest/v1/profiles/me',
  ownPictures: '/rest/v1/profiles/me/pictures',
  profileExport: '/rest/v1/profiles/me/export',
  storage: '/storage/v1',
  list: '/storage/v1/object/list',
  object: '/storage/v1/object',
  objectPublic: '/storage/v1/object/public',
  objectSign: '/storage/v1/object/sign',
  still: '/storage/v1/still',
  resumable: '/storage/v1/upload/resumable',
  key: '/bot',
  redeemGrant: '/discord/grants/redeem',
  redeemIntent: '/discord/intents/redeem',
  interactions: '/discord/interactions',
  discordEvents: '/discord/events',
  reports: '/abuse/v1/reports',
  reportKeys: '/abuse/v1/operator_keys',
  operator: '/operator/v1',
  healthz: '/healthz',
  readyz: '/readyz',
  metrics: '/metrics',
  settings: '/settings.json',
} as const;

/** Names the link under whose key a file was sealed, at the creation of its upload: its api_token. */
export const LINK_TOKEN_HEADER = 'x-link-token';

/** Where other apps' files arrive (public/manifest.webmanifest). By itself, since no page needs it. */
export const SHARE_TARGET_PATH = '/share-target';
