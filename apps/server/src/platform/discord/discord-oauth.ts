import * as oauth from 'openid-client';
import { z } from 'zod';

/** What Discord answers about a person (`GET /users/@me`), with the addresses of the pictures. */
export interface DiscordUser {
  readonly discord_id: string;
  readonly email: string | null;
  readonly discord_username: string;
  readonly discord_global_name: string | null;
  readonly discord_discriminator: string | null;
  readonly discord_public_flags: number;
  readonly avatar_url: string;
  readonly banner_url: string | null;
  readonly accent_color: number | null;
}

/** A person who signs in, with the servers they are in; none where the settings don't ask for them. */
export interface SignedInPerson {
  readonly user: DiscordUser;
  readonly guildIds: readonly string[];
}

/** What one sign-in stores between its redirects. */
export interface SignInChecks {
  readonly state: string;
  readonly codeVerifier: string;
}

export interface Discord {
  /** Makes a new state and PKCE verifier (RFC 7636). */
  newChecks(): SignInChecks;
  /** The address of Discord's page that asks for consent. */
  authorizeUrl(checks: SignInChecks): Promise<string>;
  /**
   * Redeems a callback and reads the person's profile, and servers where needed. No token of Discord is stored.
   * @param callbackUrl the full address to which Discord redirected the browser
   * @throws SignInError
   */
  redeem(callbackUrl: URL, expected: SignInChecks): Promise<SignedInPerson>;
  /** Origin of Discord's pictures, which only the server fetches. */
  readonly cdnOrigin: string;
  /** Discord's page that adds the bot to a server or an account. */
  readonly addToDiscordUrl: string;
}

/** A failed sign-in, with the error code of OAuth (RFC 6749 §4.1.2.1). The message is for the person. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly error: string;

  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.error = error;
  }
}

const HASH = z
  .string()
  .regex(/^\w{1,64}$/)
  .nullish();
const Me = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  global_name: z.string().nullish(),
  discriminator: z.string().nullish(),
  avatar: HASH,
  banner: HASH,
  accent_color: z.number().int().nullish(),
  // Discord sets bits beyond 32 on a few accounts; the badges are among the lower ones, and the `integer` column holds
  // 31.
  public_flags: z
    .number()
    .int()
    .min(0)
    .transform((flags) => flags % 2 ** 31)
    .nullish(),
  email: z.string().nullish(),
});
type Me = z.infer<typeof Me>;

/** Parses the answer of `GET /users/@me`. @throws ZodError when it is not what Discord documents */
export const parseMe = (body: unknown): Me => Me.parse(body);

const Guilds = z.array(z.object({ id: z.string() }));
/** More than an account can be in. */
const GUILDS_MAX = 200;

const TIMEOUT_SECONDS = 10;
const SCOPE = 'identify email';

/** Hashes of animated pictures begin with `a_`. */
const pictureName = (hash: string) => `${hash}.${hash.startsWith('a_') ? 'gif' : 'png'}`;

/** Discord's rule for a person without a picture: by id, or by discriminator on accounts that still have one. */
function defaultAvatar(me: Me): bigint | number {
  const discriminator = Number(me.discriminator ?? '0');
  return discriminator === 0 ? (BigInt(me.id) >> 22n) % 6n : discriminator % 5;
}

/** The columns of a profile. */
export function toDiscordUser(me: Me, cdnOrigin: string): DiscordUser {
  return {
    discord_id: me.id,
    email: me.email ?? null,
    discord_username: me.username,
    discord_global_name: me.global_name ?? null,
    discord_discriminator: me.discriminator ?? null,
    discord_public_flags: me.public_flags ?? 0,
    avatar_url: me.avatar
      ? `${cdnOrigin}/avatars/${me.id}/${pictureName(me.avatar)}?size=256`
      : `${cdnOrigin}/embed/avatars/${defaultAvatar(me)}.png`,
    banner_url: me.banner ? `${cdnOrigin}/banners/${me.id}/${pictureName(me.banner)}?size=1024` : null,
    accent_color: me.accent_color ?? null,
  };
}

function configure(options: DiscordOptions, api: URL): oauth.Configuration {
  // Built by hand: Discord has no OAuth discovery document for this flow.
  const server: oauth.ServerMetadata = {
    issuer: api.origin,
    authorization_endpoint: `${api.origin}/oauth2/authorize`,
    token_endpoint: `${options.apiUrl}/oauth2/token`,
  };
  const secret = oauth.ClientSecretPost(options.clientSecret);
  const configuration = new oauth.Configuration(server, options.clientId, undefined, secret);
  configuration.timeout = TIMEOUT_SECONDS;
  // The settings allow plain http on this machine only.
  if (api.protocol === 'http:') oauth.allowInsecureRequests(configuration);
  return configuration;
}

function toSignInError(error: unknown): SignInError {
  if (error instanceof oauth.AuthorizationResponseError) {
    // A person who cancels gets only the code (RFC 6749 §4.1.2.1), for which the page has plain words. Discord's description,
    // "The resource owner or authorization server denied the request", does not say that the person cancelled.
    const isCancelled = error.error === 'access_denied';
    const message = isCancelled ? error.error : (error.error_description ?? error.error);
    return new SignInError(error.error, message, { cause: error });
  }
  if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') {
    return new SignInError('invalid_grant', 'This sign-in was used or is too old. Please sign in again.', {
      cause: error,
    });
  }
  return new SignInError('server_error', 'Discord did not answer as expected. Please try again.', { cause: error });
}

export interface DiscordOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** DISCORD_API_URL, without a trailing slash. */
  readonly apiUrl: string;
  /** True to ask for the servers of a person, too. */
  readonly readsGuilds: boolean;
  /** The callback below PUBLIC_URL, exactly as registered with Discord. */
  readonly redirectUri: string;
}

/** No code of Discord's: a code has 30 characters. */
const NO_CODE = 'satchel-doctor';

/**
 * Asks Discord whether it takes the application's credentials, by redeeming a code that is none. A real token would have to
 * be revoked, which removes the application from its owner's account.
 * @returns what Discord says, and its clock
 * @throws when Discord does not answer as OAuth has it
 */
export async function tryCredentials(options: DiscordOptions): Promise<{ isTaken: boolean; date: Date | null }> {
  const configuration = configure(options, new URL(options.apiUrl));
  try {
    await oauth.genericGrantRequest(configuration, 'authorization_code', {
      code: NO_CODE,
      redirect_uri: options.redirectUri,
    });
  } catch (error) {
    const answer = error instanceof oauth.ResponseBodyError ? error : null;
    const isRefused = answer?.error === 'invalid_client' || error instanceof oauth.WWWAuthenticateChallengeError;
    if (!isRefused && answer?.error !== 'invalid_grant') throw error;
    const said = answer?.response.headers.get('date') ?? null;
    return { isTaken: !isRefused, date: said === null ? null : new Date(said) };
  }
  throw new Error('Discord redeemed a code that is none');
}

/** Creates the client for sign-ins by Discord. */
export function createDiscord(options: DiscordOptions): Discord {
  const api = new URL(options.apiUrl);
  const configuration = configure(options, api);
  const cdnOrigin = api.hostname === 'discord.com' ? 'https://cdn.discordapp.com' : api.origin;

  async function authorizeUrl(checks: SignInChecks): Promise<string> {
    const url = oauth.buildAuthorizationUrl(configuration, {
      redirect_uri: options.redirectUri,
      scope: options.readsGuilds ? `${SCOPE} guilds` : SCOPE,
      state: checks.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(checks.codeVerifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * The token is not stored and not revoked: Discord takes a revocation for removing the application from the account,
   * which deletes its commands, ends other sessions by APPLICATION_DEAUTHORIZED and asks for consent again.
   */
  async function readOwner(accessToken: string): Promise<SignedInPerson> {
    const read = async (path: string): Promise<unknown> => {
      const url = new URL(options.apiUrl + path);
      return (await oauth.fetchProtectedResource(configuration, accessToken, url, 'GET')).json();
    };
    const user = toDiscordUser(parseMe(await read('/users/@me')), cdnOrigin);
    if (!options.readsGuilds) return { user, guildIds: [] };
    const guilds = Guilds.parse(await read(`/users/@me/guilds?limit=${GUILDS_MAX}`));
    return { user, guildIds: guilds.map(({ id }) => id) };
  }

  async function redeem(callbackUrl: URL, expected: SignInChecks): Promise<SignedInPerson> {
    try {
      const tokens = await oauth.authorizationCodeGrant(configuration, callbackUrl, {
        expectedState: expected.state,
        pkceCodeVerifier: expected.codeVerifier,
      });
      return await readOwner(tokens.access_token);
    } catch (error) {
      throw toSignInError(error);
    }
  }

  const bot = new URLSearchParams({ client_id: options.clientId, scope: 'bot applications.commands' });
  return {
    newChecks: () => ({ state: oauth.randomState(), codeVerifier: oauth.randomPKCECodeVerifier() }),
    authorizeUrl,
    redeem,
    cdnOrigin,
    addToDiscordUrl: `${api.origin}/oauth2/authorize?${bot}`,
  };
}
