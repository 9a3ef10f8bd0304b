import type { AuthorizeOutput } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { getJson } from '../../lib/api/api.ts';

/**
 * Leaves for Discord's consent page; return-path knows where to come back to. The server keeps what it needs to check the way back in a cookie.
 * @throws AppError what the server said
 */
export async function startSignIn(): Promise<void> {
  const query = new URLSearchParams({ provider: 'discord', redirect_to: '/auth/callback' });
  const { url } = await getJson<AuthorizeOutput>(`${PATHS.authorize}?${query}`);
  location.assign(url);
}
