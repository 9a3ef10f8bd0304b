/** What Discord tells about a person (`GET /users/@me`), with its picture addresses resolved. */
export interface DiscordUser {
  readonly discord_id: string;
  readonly email: string | null;
  readonly discord_username: string;
  readonly discord_global_name: string | null;
  readonly discord_discriminator: string | null;
  readonly discord_public_flags: number;
  readonly avatar_url: string | null;
  readonly banner_url: string | null;
  readonly accent_color: number | null;
}

export interface Discord {
  /** Where to send a browser that wants to sign in. */
  authorizeUrl(request: { state: string; codeVerifier: string }): Promise<string>;
  /** Redeems a callback (its full URL) and reads who it is; no token of Discord's is kept. */
  redeem(callbackUrl: URL, expected: { state: string; codeVerifier: string }): Promise<DiscordUser>;
  /** Origin of Discord's pictures, for the page's CSP. */
  readonly cdnOrigin: string;
  readonly addToDiscordUrl: string;
}
