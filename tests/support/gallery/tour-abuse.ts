import { createPlainFolder } from '../people.ts';
import type { World } from './sample-world.ts';
import { during, shown, type Tour } from './tour.ts';

/** Reports, the operator's page, and the list of sessions. */

/** The empty operator's page, and a new key. */
export async function tourNewOperator({ page, visit }: Tour): Promise<void> {
  await visit('operator-empty', '/operator', 'No open reports');
  await page.getByRole('tab', { name: 'Your key' }).click();
  await page.getByRole('button', { name: 'Make a key' }).click();
  await shown(page, 'This browser has a key');
  // Load it again, without the toast.
  await visit('operator-key', '/operator?tab=key', 'This browser has a key');
}

/** The sign-in of a site for certain accounts, and the end of it for another account. */
export async function tourAdmission({ page, visit, look }: Tour): Promise<void> {
  await visit('auth-accounts', '/auth', 'Only certain Discord accounts can sign in here.');
  await page.getByRole('button', { name: 'Continue with Discord' }).click();
  await page.getByRole('radio', { name: /Lena/ }).check();
  await page.getByRole('button', { name: 'Authorize' }).click();
  await shown(page, /yours is not one of them$/);
  await look('auth-account-refused');
}

/** Reporting a folder. */
export async function tourReport({ page, follow, look }: Tour, world: World): Promise<void> {
  await follow(world.links.sealed, 'Lantern Festival');
  await page.getByRole('button', { name: 'Report' }).filter({ visible: true }).click();
  const form = page.getByRole('dialog', { name: 'Report this folder' });
  await form.getByRole('radio', { name: /^It holds my work/ }).check();
  await form.getByRole('switch', { name: /^Include the key/ }).check();
  await look('report');
  await form.getByRole('button', { name: 'Send Report' }).click();
  await page.getByRole('dialog', { name: 'Thank you for the report' }).waitFor();
  await look('report-sent');
}

/** The operator's actions on a report. */
export async function tourOperator({ page, visit, follow, look }: Tour): Promise<void> {
  await visit('operator-reports', '/operator', 'Open with the reporter’s key');
  await page.getByRole('button', { name: 'Take down' }).click();
  await page.getByRole('alertdialog', { name: 'Take this folder down?' }).waitFor();
  await look('operator-take-down');
  await page.getByRole('button', { name: 'Cancel' }).click();
  const sections = [
    ['bans', 'No account is banned'],
    ['files', 'No file is denied'],
    ['tiers', 'Give an account a tier'],
    ['log', 'Added a key'],
    ['site', 'By the settings: certain accounts (1).'],
  ] as const;
  for (const [section, text] of sections) {
    await follow(`/operator?tab=${section}`, text);
    await look(`operator-${section}`);
  }
}

/** Creates a folder and takes it down; returns its address. */
export async function takenDownFolder({ people: { owner, viewer: operator } }: World): Promise<string> {
  const { slug } = await createPlainFolder(owner, 'Taken down');
  const takedown = { folder_slug: slug, reason: 'Malware' };
  const { status } = await operator.call('POST', '/operator/v1/takedowns', takedown);
  if (status !== 204) throw new Error(`the folder was not taken down: ${status}`);
  return `/f/${slug}`;
}

const HOUR_MS = 3_600_000;

/** Signs in on three more devices, none of them a browser of ours. */
function sessions() {
  const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
  const session = (id: number, label: string | null, hoursAgo: number) => ({
    id: `00000000-0000-4000-8000-00000000000${id}`,
    label,
    created_at: at(hoursAgo + 30),
    last_seen_at: at(hoursAgo),
    expires_at: at(-700),
    is_this_one: id === 1,
  });
  return [session(1, 'Firefox on Linux', 0), session(2, 'Safari on iPhone', 5), session(3, null, 50)];
}

/** The list of sessions, and the confirmation before the others end. */
export const tourSessions = ({ page, visit, look }: Tour): Promise<void> =>
  during(
    page,
    '/auth/v1/sessions',
    (route) => route.fulfill({ json: sessions() }),
    async () => {
      await visit('profile-sessions', '/profile', 'Sign out everywhere else');
      await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
      await page.getByRole('alertdialog', { name: 'Sign out everywhere else?' }).waitFor();
      await look('profile-sessions-question');
    },
  );
