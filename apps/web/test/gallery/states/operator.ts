import { ActList, BanList, DeniedBlobList, Report, SiteStatus } from '@satchel/contract/abuse';
import { PATHS } from '@satchel/contract/paths';
import { accountOf, hoursFromNow, JONAS } from '../../answers.ts';
import type { Answers } from '../../given-server.ts';
import { folder, SLUG } from '../folders.ts';
import type { Hands } from '../hands.ts';
import type { Given, State } from '../state.ts';

/** Reports, and the operator's page. */

const GIB = 1024 ** 3;
const KEY_ID = '00000000-0000-4000-8000-0000000000c1';
const at = (path: string) => `GET ${PATHS.operator}/${path}`;
/** All that the foot of each page may link to. */
export const LINKS = {
  source: 'https://example.org/source',
  docs: 'https://example.org/docs',
  privacy: null,
  terms: 'https://example.org/terms',
  contact: 'mailto:people@example.org',
  status: 'https://example.org/status',
};
const SITE = SiteStatus.parse({
  profiles: 2,
  folders: 1,
  files: 12,
  booked_bytes: 3 * GIB,
  storage_bytes: 8 * GIB,
  open_uploads: 0,
  disk: { free_bytes: 20 * GIB, size_bytes: 100 * GIB, kept_free_bytes: GIB / 4 },
  queued_blobs: 0,
  sweep_lag_seconds: 0,
  allowed_guilds: 0,
  allowed_accounts: 1,
  is_closed: false,
});
const ACTS = ActList.parse({
  acts: [
    {
      id: '00000000-0000-4000-8000-0000000000c2',
      at: hoursFromNow(-1),
      operator_discord_id: '318264905173434370',
      act: 'add_key',
      target: KEY_ID,
      detail: null,
    },
  ],
  has_more: false,
});

const operator = (tab: string, answers: Answers = {}): Given => ({
  address: `/operator${tab === '' ? '' : `?tab=${tab}`}`,
  settings: { links: LINKS, admits: 'accounts' },
  answers: {
    ...accountOf(JONAS, { is_operator: true, program: '1.0.0 (commit 2f7ab4829abc)' }),
    [at('reports')]: { reports: [], has_more: false },
    [at('bans')]: BanList.parse({ bans: [], has_more: false }),
    [at('denied_blobs')]: DeniedBlobList.parse({ denied_blobs: [], has_more: false }),
    [at('acts')]: ACTS,
    [at('site')]: SITE,
    [`GET ${PATHS.reportKeys}`]: [],
    ...answers,
  },
});

/** This browser has the operator's key. @returns its public half, as reporters get it */
async function keepKey() {
  const { newOperatorKeyPair } = await import('../../../src/engine/reports/report-sealing.ts');
  const { keepOperatorKey } = await import('../../../src/engine/reports/operator-key-store.ts');
  const { privateKey, publicKey } = await newOperatorKeyPair();
  await keepOperatorKey({ id: KEY_ID, privateKey });
  return [{ id: KEY_ID, public_key: publicKey }];
}

/** A report that has the folder's key, sealed to the operator's. */
async function reported(): Promise<Given> {
  const keys = await keepKey();
  const { sealToOperators } = await import('../../../src/engine/reports/report-sealing.ts');
  const { data, link } = await folder();
  const report = Report.parse({
    id: '00000000-0000-4000-8000-0000000000c3',
    folder_slug: SLUG,
    reason: 'copyright',
    note: null,
    sealed_keys: await sealToOperators(SLUG, link.ring.keys, keys),
    created_at: hoursFromNow(-1),
    closed_at: null,
    outcome: null,
    folder: {
      name: data.folder_name,
      description: null,
      created_at: data.folder_created_at,
      expires_at: data.folder_expires_at,
      link_mode: 'private',
      size_bytes: 4_000_000,
      file_count: 12,
      owner_discord_id: '201934617452871681',
      owner_username: 'mika.sandbox',
      is_owner_banned: false,
    },
    taken_down_reason: null,
  });
  return operator('', {
    [at('reports')]: { reports: [report], has_more: false },
    [`GET ${PATHS.reportKeys}`]: keys,
  });
}

/** A visitor's folder, on a site whose operator has a key. */
async function reporting(): Promise<Given> {
  const { newOperatorKeyPair } = await import('../../../src/engine/reports/report-sealing.ts');
  const { publicKey } = await newOperatorKeyPair();
  const given = await folder({
    as: null,
    files: ['travel-notes.txt'],
    answers: {
      [`GET ${PATHS.reportKeys}`]: [{ id: KEY_ID, public_key: publicKey }],
      [`POST ${PATHS.reports}`]: 204,
    },
  });
  return { ...given, settings: { links: LINKS } };
}

async function fillIn({ press, dialog }: Hands): Promise<void> {
  // Narrow screens have it in a row that opens.
  for (const details of document.querySelectorAll('details')) details.open = true;
  await press('Report');
  await dialog('Report this folder');
  await press(/^It holds my work/);
  await press(/^Include the key/);
}

export const OPERATOR: readonly State[] = [
  {
    name: 'report',
    given: reporting,
    text: 'Cached',
    async steps(hands) {
      await fillIn(hands);
    },
  },
  {
    name: 'report-sent',
    given: reporting,
    text: 'Cached',
    async steps(hands) {
      await fillIn(hands);
      await hands.press('Send Report');
      await hands.dialog('Thank you for the report');
    },
  },
  { name: 'operator-empty', given: () => operator(''), text: 'No open reports' },
  {
    name: 'operator-key',
    given: async () => operator('key', { [`GET ${PATHS.reportKeys}`]: await keepKey() }),
    text: 'This browser has a key',
  },
  { name: 'operator-reports', given: reported, text: 'Open with the reporter’s key' },
  {
    name: 'operator-take-down',
    given: reported,
    text: 'Open with the reporter’s key',
    async steps({ press, dialog }) {
      await press('Take down');
      await dialog('Take this folder down?');
    },
  },
  { name: 'operator-bans', given: () => operator('bans'), text: 'No account is banned' },
  { name: 'operator-files', given: () => operator('files'), text: 'No file is denied' },
  { name: 'operator-tiers', given: () => operator('tiers'), text: 'Give an account a tier' },
  { name: 'operator-log', given: () => operator('log'), text: 'Added a key' },
  { name: 'operator-site', given: () => operator('site'), text: 'By the settings: certain accounts (1).' },
];
