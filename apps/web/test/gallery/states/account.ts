import type { User } from '@satchel/contract/entities';
import { PATHS } from '@satchel/contract/paths';
import { accountOf, hoursFromNow, JONAS, listedFolder, MIKA, refusal, sessionList } from '../../answers.ts';
import { type Answers, waiting } from '../../given-server.ts';
import { picture } from '../files.ts';
import type { Given, State } from '../state.ts';

/** The profile, and the page that creates a folder. */

const MIB = 1024 ** 2;
const PROFILE = `GET ${PATHS.profileMe}`;
const REDEEM = `POST ${PATHS.redeemIntent}`;
/** Discord's badge bits: HypeSquad Events, House Bravery, Early Supporter, Early Bot Developer, Active Developer. */
const BADGES = 4 | 64 | 512 | 131_072 | 4_194_304;
const OWNER = {
  ...accountOf(MIKA, {
    accent_color: 0x8f5bd6,
    discord_public_flags: BADGES,
    used_bytes: 300 * MIB,
    reserved_bytes: 7 * MIB,
  }),
  [`GET ${PATHS.uploads}`]: [],
  [`POST ${PATHS.logout}`]: 204,
  [`GET ${PATHS.folders}?owner=me`]: [
    listedFolder(MIKA, { name: 'Lantern Festival', link_mode: 'private', size_bytes: 4 * MIB, file_count: 12 }),
    listedFolder(MIKA, { name: 'Open letters', slug: 'Cx7kQ2mN9pR4sT6v' }),
    listedFolder(MIKA, { name: 'For the server', slug: 'Dx7kQ2mN9pR4sT6v', link_mode: 'discord' }),
    listedFolder(MIKA, { name: 'Withdrawn', slug: 'Ex7kQ2mN9pR4sT6v', link_mode: 'revoked' }),
  ],
};
const profile = (answers: Answers = {}): Given => ({ address: '/profile', answers: { ...OWNER, ...answers } });

const OTTO: User = { ...MIKA, email: null, user_metadata: { full_name: null, avatar_url: null } };
const LENA: User = { ...MIKA, email: 'lena@sandbox.example', user_metadata: { full_name: 'Lena', avatar_url: null } };
const profileOf = (user: User, names: Parameters<typeof accountOf>[1]): Given => ({
  address: '/profile',
  answers: { ...accountOf(user, names), [`GET ${PATHS.uploads}`]: [] },
});

const create = (address = '/upload', answers: Answers = {}): Given => ({
  address,
  answers: { ...accountOf(MIKA), ...answers },
});
const intended = (answer: Answers[string]): Given => create(`/upload#intent=${'i'.repeat(43)}`, { [REDEEM]: answer });
const ZONE = /^Drop files here or click to upload/;

export const ACCOUNT: readonly State[] = [
  { name: 'profile', given: () => profile(), text: /^My Folders/ },
  {
    name: 'profile-erase',
    given: () => profile(),
    text: /^My Folders/,
    async steps({ press, dialog }) {
      await press('Erase my data');
      await dialog('Erase everything?');
    },
  },
  { name: 'profile-loading', given: () => profile({ [PROFILE]: waiting }), text: 'Loading profile...' },
  { name: 'profile-error', given: () => profile({ [PROFILE]: 500 }), text: 'Error Loading Profile' },
  {
    name: 'profile-no-folders',
    given: () => profileOf(JONAS, {}),
    text: 'No folders yet',
  },
  {
    name: 'profile-otto',
    given: () => profileOf(OTTO, { name: null, discord_global_name: null, discord_username: 'otto.sandbox' }),
    text: 'Account Details',
  },
  {
    name: 'profile-lena',
    given: () => profileOf(LENA, { discord_username: 'lena', discord_discriminator: '1234' }),
    text: 'Account Details',
  },
  {
    name: 'profile-sessions',
    given() {
      const [here, ...others] = sessionList(2);
      const commandLine = { ...others[0]!, kind: 'device' as const, label: 'Mika’s laptop' };
      return profile({ [`GET ${PATHS.sessions}`]: [here, commandLine, others[1]] });
    },
    text: 'Sign out everywhere else',
  },
  {
    name: 'profile-sessions-question',
    given: () => profile({ [`GET ${PATHS.sessions}`]: sessionList(2) }),
    text: 'Sign out everywhere else',
    async steps({ press, dialog }) {
      await press('Sign out everywhere else');
      await dialog('Sign out everywhere else?');
    },
  },
  {
    name: 'profile-unfinished',
    given: () =>
      profile({
        [`GET ${PATHS.uploads}`]: [
          {
            id: '00000000-0000-4000-8000-0000000000aa',
            folder_id: '00000000-0000-4000-8000-0000000000ab',
            folder_slug: 'Bx7kQ2mN9pR4sT6v',
            folder_name: 'Empty shelf',
            length_bytes: 7 * MIB,
            offset_bytes: 3 * MIB,
            created_at: hoursFromNow(-1),
            expires_at: hoursFromNow(20),
          },
        ],
      }),
    text: /^Unfinished uploads/,
  },
  {
    name: 'forget-keys',
    async given() {
      const { folder, remember } = await import('../folders.ts');
      await remember(await folder());
      return { address: '/privacy', answers: OWNER };
    },
    text: 'What our server sees',
    async steps({ press, dialog }) {
      await press('Sign Out');
      await dialog('Forget keys on this device?');
    },
  },
  { name: 'create', given: () => create(), text: ZONE },
  {
    name: 'create-passphrase',
    given: () => create(),
    text: ZONE,
    async steps({ press, shown }) {
      await press('Ask for a passphrase');
      await press('Create Folder');
      await shown('Type a passphrase, or turn it off.');
    },
  },
  {
    name: 'create-discord',
    given: () => create(),
    text: ZONE,
    steps: ({ press }) => press(/^People in a Discord channel or chat/),
  },
  {
    name: 'create-plain',
    given: () => create(),
    text: ZONE,
    async steps({ press }) {
      await press(/^Everyone/);
      await press(/^More options/);
    },
  },
  {
    name: 'create-files',
    given: () => create(),
    text: ZONE,
    async steps({ choose, shown }) {
      const file = new File([new Uint8Array(2.5 * MIB)], 'part-one.bin');
      await choose(
        new File([await picture()], 'planet.webp', { type: 'image/webp' }),
        file,
        new File(Array(101).fill(new Blob([new Uint8Array(MIB)])), 'backup.iso'),
      );
      await shown('2 files selected');
    },
  },
  {
    name: 'create-many',
    given: () => create(),
    text: ZONE,
    async steps({ choose, shown }) {
      await choose(
        ...Array.from({ length: 12 }, (_, at) => new File(['x'], `photo ${at + 1}.jpg`, { type: 'image/jpeg' })),
      );
      await shown('12 files selected');
    },
  },
  {
    name: 'create-leave',
    given: () => create(),
    text: ZONE,
    async steps({ choose, shown, press, dialog }) {
      await choose(new File(['words'], 'part-one.bin'));
      await shown('1 file selected');
      await press('Satchel');
      await dialog('Leave this page?');
    },
  },
  {
    name: 'create-shared',
    given: () => create('/upload?shared=none'),
    text: /^There were no files in what you shared\./,
  },
  {
    name: 'create-shared-unread',
    given: () => create('/upload?shared=unread'),
    text: /^What you shared was not read/,
  },
  {
    name: 'create-intent',
    given: () =>
      intended({
        intent_id: '7d0c0000-0000-4000-8000-000000000201',
        folder_name: 'Lantern Festival',
        lifetime_hours: 6,
        link_mode: 'private',
      }),
    text: /^Filled in by \/upload/,
  },
  {
    name: 'create-intent-over',
    given: () => intended(refusal(404, 'intent.invalid')),
    text: /no longer valid/,
  },
  {
    name: 'create-intent-foreign',
    given: () => intended(refusal(403, 'intent.foreign')),
    text: 'Made for another Discord account',
  },
  { name: 'create-intent-stuck', given: () => intended(500), text: 'Something went wrong' },
];
