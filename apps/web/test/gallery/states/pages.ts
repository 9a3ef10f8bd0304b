import { PATHS } from '@satchel/contract/paths';
import { MANIFEST_PATH } from '@satchel/contract/site-manifest';
import { accountOf, hoursFromNow, JONAS, refusal } from '../../answers.ts';
import { type Answer, waiting } from '../../given-server.ts';
import { DATA, SLUG } from '../folders.ts';
import type { Given, State } from '../state.ts';
import { LINKS } from './operator.ts';

/** The pages around the folders. */

const CREATE_FOR_DISCORD = `/upload#intent=${'i'.repeat(43)}`;

const MANIFEST = { version: '1.0.0', policies: {}, pages: [], wasm: [], files: { '/index.html': '', '/sw.js': '' } };
const checked = (answer: Answer): Given => ({ address: '/check', answers: { [`GET ${MANIFEST_PATH}`]: answer } });

export const PAGES: readonly State[] = [
  { name: 'landing', given: () => ({ address: '/' }), text: 'How It Works' },
  { name: 'privacy', given: () => ({ address: '/privacy' }), text: 'What our server sees' },
  { name: 'docs', given: () => ({ address: '/docs' }), text: 'Check it yourself' },
  {
    name: 'docs-all',
    given: () => ({ address: '/docs', settings: { operator: 'Harbour Club', links: LINKS } }),
    text: /^Harbour Club runs this site/,
  },
  { name: 'check', given: () => checked(MANIFEST), text: 'Compare it from outside' },
  { name: 'check-reading', given: () => checked(waiting), text: 'What this can’t show' },
  { name: 'check-failed', given: () => checked(404), text: 'Try Again' },
  { name: 'auth', given: () => ({ address: '/auth' }), text: 'Continue with Discord' },
  {
    name: 'display',
    given: () => ({ address: '/auth' }),
    text: 'Continue with Discord',
    async steps({ press, shown }) {
      await press(/Theme and language$/);
      await shown('As my device');
    },
  },
  {
    name: 'auth-connecting',
    given: () => ({ address: '/auth' }),
    text: 'Continue with Discord',
    async steps({ press, shown }) {
      await press('Continue with Discord');
      await shown('Connecting...');
    },
  },
  {
    name: 'auth-accounts',
    given: () => ({ address: '/auth', settings: { admits: 'accounts' } }),
    text: 'Only certain Discord accounts can sign in here.',
  },
  {
    name: 'auth-account-refused',
    given: () => ({
      address: `/auth/callback#${new URLSearchParams({
        error: 'access_denied',
        error_description: 'Only certain Discord accounts can sign in here, and yours is not one of them',
      })}`,
      settings: { admits: 'accounts' },
    }),
    text: /yours is not one of them$/,
  },
  {
    name: 'auth-signed-in',
    given: () => ({ address: '/auth', answers: accountOf(JONAS) }),
    text: 'Already Signed In',
    // While a button has the focus, the page doesn't redirect.
    steps: ({ focus }) => focus('Go to Home'),
  },
  {
    name: 'auth-callback',
    given: () => ({ address: '/auth/callback', answers: { [`GET ${PATHS.session}`]: waiting } }),
    text: 'Processing Sign In...',
  },
  {
    name: 'auth-callback-error',
    given: () => ({ address: '/auth/callback#error=access_denied&error_description=No' }),
    text: 'Authentication Error',
  },
  { name: 'profile-public', given: () => ({ address: '/profile' }), text: 'Authentication Required' },
  { name: 'create-public', given: () => ({ address: '/upload' }), text: 'Continue with Discord' },
  { name: 'create-intent-public', given: () => ({ address: CREATE_FOR_DISCORD }), text: 'Continue with Discord' },
  { name: 'folder-no-slug', given: () => ({ address: '/f' }), text: /No folder/ },
  {
    name: 'folder-not-found',
    given: () => ({ address: '/f/AAAAAAAAAAAAAAAA', answers: { [DATA]: refusal(404, 'folder.not_found') } }),
    text: 'Folder Not Found',
  },
  {
    name: 'folder-expired',
    given: () => ({
      address: `/f/${SLUG}`,
      answers: { [DATA]: { folder_slug: SLUG, folder_expires_at: hoursFromNow(-1) } },
    }),
    text: 'Folder Expired',
  },
  {
    name: 'folder-taken-down',
    given: () => ({
      address: `/f/${SLUG}`,
      answers: { [DATA]: refusal(410, 'folder.taken_down', { reason: 'Malware' }) },
    }),
    text: 'This folder was taken down',
  },
];
