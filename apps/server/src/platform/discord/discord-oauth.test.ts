import { expect, test } from 'vitest';
import { createDiscord, parseMe, toDiscordUser } from './discord-oauth.ts';

const CDN = 'https://cdn.discordapp.com';
const me = { id: '201934617452871681', username: 'mika' };
const options = {
  readsGuilds: false,
  clientId: '1',
  clientSecret: 's',
  redirectUri: 'https://files.example.org/auth/v1/callback',
};

test('a picture is addressed by its hash, an animated one as a gif', () => {
  const user = toDiscordUser({ ...me, avatar: 'a_12ab', banner: '34cd' }, CDN);
  expect(user.avatar_url).toBe(`${CDN}/avatars/${me.id}/a_12ab.gif?size=256`);
  expect(user.banner_url).toBe(`${CDN}/banners/${me.id}/34cd.png?size=1024`);
});

test('a person without a picture gets Discord’s default, by id or by discriminator', () => {
  // floor(201934617452871681 / 2^22) mod 6 = 4, floor(318264905173434370 / 2^22) mod 6 = 1, 1234 mod 5 = 4
  expect(toDiscordUser({ ...me, discriminator: '0' }, CDN).avatar_url).toBe(`${CDN}/embed/avatars/4.png`);
  expect(toDiscordUser({ ...me, id: '318264905173434370' }, CDN).avatar_url).toBe(`${CDN}/embed/avatars/1.png`);
  expect(toDiscordUser({ ...me, discriminator: '1234' }, CDN).avatar_url).toBe(`${CDN}/embed/avatars/4.png`);
});

test('fields that Discord omits are null', () => {
  expect(toDiscordUser(me, CDN)).toMatchObject({
    email: null,
    discord_global_name: null,
    discord_discriminator: null,
    discord_public_flags: 0,
    banner_url: null,
    accent_color: null,
  });
});

test('unknown high flags do not refuse a sign-in', () => {
  const flags = 2 ** 50 + 2 ** 44 + 64;
  expect(toDiscordUser(parseMe({ ...me, public_flags: flags }), CDN).discord_public_flags).toBe(64);
});

test('pictures come from Discord’s CDN, or from the origin of a local API', () => {
  expect(createDiscord({ ...options, apiUrl: 'https://discord.com/api/v10' }).cdnOrigin).toBe(CDN);
  const local = createDiscord({ ...options, apiUrl: 'http://localhost:3001/api/v10' });
  expect(local.cdnOrigin).toBe('http://localhost:3001');
  expect(local.addToDiscordUrl).toBe(
    'http://localhost:3001/oauth2/authorize?client_id=1&scope=bot+applications.commands',
  );
});

test('the authorize address has state and PKCE challenge, and never the verifier', async () => {
  const discord = createDiscord({ ...options, apiUrl: 'https://discord.com/api/v10' });
  const checks = discord.newChecks();
  const url = new URL(await discord.authorizeUrl(checks));
  expect(url.origin + url.pathname).toBe('https://discord.com/oauth2/authorize');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: '1',
    redirect_uri: options.redirectUri,
    response_type: 'code',
    scope: 'identify email',
    state: checks.state,
    code_challenge_method: 'S256',
  });
  expect(url.href).not.toContain(checks.codeVerifier);
});
