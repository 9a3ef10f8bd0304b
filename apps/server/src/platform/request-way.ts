/** What `/healthz` says of the way of a request; `satchel-admin doctor` reads it at PUBLIC_URL. */
export const WAY = {
  host: 'host: as PUBLIC_URL',
  otherHost: 'host: another than PUBLIC_URL',
  noProxy: 'proxy: none',
  trustedProxy: 'proxy: trusted',
  foreignProxy: 'proxy: not in TRUST_PROXY',
  silentProxy: 'proxy: sends no X-Forwarded-For',
} as const;
