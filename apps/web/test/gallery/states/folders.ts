import { PATHS } from '@satchel/contract/paths';
import { JONAS, refusal, sealedEntry } from '../../answers.ts';
import { unreachable, waiting } from '../../given-server.ts';
import { DATA, folder, LIST, listing, SLUG } from '../folders.ts';
import type { Hands } from '../hands.ts';
import type { State } from '../state.ts';

/** Folders as visitors and signed-in people see them. */

const FEW = ['aurora-over-the-lake.webp', 'travel-notes.txt'] as const;
const visited = { as: null, files: FEW };
const DIRECT = `GET ${PATHS.folders}`;

/** What the server can see: for wide screens, and in the row that narrow screens expand. */
async function openSight({ shown }: Hands): Promise<void> {
  for (const details of document.querySelectorAll<HTMLDetailsElement>('aside details')) details.open = true;
  await shown('What it could do');
}

/** A file comes in while the folder is open: the server tells of a change, and lists it from then on. */
async function arriving() {
  const given = await folder({ as: null });
  const entry = await sealedEntry(given.link, 'planet.webp', 300);
  let [isListed, hasChanged] = [false, false];
  const listed = Promise.withResolvers<void>();
  const tell = (version: string) => `data: ${JSON.stringify({ slug: SLUG, version, age_ms: 0 })}\n\n`;
  const changes = () => {
    const body = new ReadableStream<string>({
      async start(control) {
        control.enqueue(tell('1'));
        await listed.promise;
        hasChanged = true;
        control.enqueue(tell('2'));
      },
    });
    return new Response(body.pipeThrough(new TextEncoderStream()));
  };
  return {
    ...given,
    answers: {
      ...given.answers,
      'POST /rest/v1/changes': changes,
      [LIST]: (request: Parameters<ReturnType<typeof listing>>[0]) => {
        isListed = true;
        return listing(hasChanged ? [entry] : [])(request);
      },
    },
    /** Once the page shows the empty folder. */
    arrive: () => isListed && listed.resolve(),
  };
}
let arrive = (): unknown => undefined;

export const FOLDERS: readonly State[] = [
  {
    name: 'folder-loading',
    given: () => folder({ as: null, withoutKey: true, answers: { [DATA]: waiting } }),
    text: 'Loading folder...',
  },
  {
    name: 'folder-files-loading',
    given: () => folder({ as: null, mode: 'plain', answers: { [LIST]: waiting } }),
    text: 'Loading files...',
  },
  {
    name: 'folder-files-error',
    given: () => folder({ as: null, mode: 'discord', answers: { [LIST]: 500 } }),
    text: /^Error: /,
  },
  {
    name: 'folder-key-lost',
    given: async () => {
      const { data, ...given } = await folder(visited);
      const { folder_slug: slug, folder_name: name } = data;
      const entity = {
        id: data.folder_id,
        slug,
        name,
        description: null,
        created_at: data.folder_created_at,
        expires_at: data.folder_expires_at,
        bucket: data.folder_bucket,
        bucket_storage_path: data.folder_bucket_storage_path,
        size_bytes: 0,
        file_count: 0,
        owner_profile_id: data.folder_owner_profile_id,
        link_mode: 'private',
        access: 'link',
        hide_names: true,
        show_name_in_previews: false,
      };
      return { ...given, answers: { ...given.answers, [DATA]: unreachable, [DIRECT]: entity } };
    },
    text: 'The key could not be fetched',
  },
  {
    name: 'folder-key-unanswered',
    given: () => folder({ ...visited, answers: { [`GET ${PATHS.key}/`]: unreachable } }),
    text: 'The key could not be fetched',
  },
  {
    name: 'folder-error',
    given: () => folder({ as: null, withoutKey: true, answers: { [DATA]: 500, [DIRECT]: 500 } }),
    text: 'Something went wrong',
  },
  { name: 'folder-public', given: () => folder(visited), text: 'Cached' },
  {
    name: 'share-public',
    given: () => folder(visited),
    text: 'Cached',
    async steps({ press, dialog }) {
      await press('QR code and more');
      await dialog(/^Share /);
    },
  },
  { name: 'server-sight-sealed', given: () => folder(visited), text: 'Cached', steps: openSight },
  {
    name: 'info-public',
    given: () => folder({ ...visited, search: '?tab=info' }),
    text: 'Sign up to see detailed analytics',
  },
  {
    name: 'settings-public',
    given: () => folder({ ...visited, search: '?tab=settings' }),
    text: 'Authentication Required',
  },
  {
    name: 'folder-plain-public',
    given: () => folder({ ...visited, name: 'Open letters', mode: 'plain' }),
    text: 'aurora-over-the-lake.webp',
  },
  {
    name: 'server-sight-plain',
    given: () => folder({ ...visited, name: 'Open letters', mode: 'plain' }),
    text: 'aurora-over-the-lake.webp',
    steps: openSight,
  },
  {
    name: 'folder-discord-public',
    given: () => folder({ ...visited, name: 'For the server', mode: 'discord' }),
    text: 'Cached',
  },
  {
    name: 'server-sight-discord',
    given: () => folder({ ...visited, name: 'For the server', mode: 'discord' }),
    text: 'Cached',
    steps: openSight,
  },
  {
    name: 'folder-revoked-public',
    given: () => folder({ ...visited, name: 'Withdrawn', mode: 'revoked' }),
    text: 'No Key',
  },
  {
    name: 'server-sight-revoked',
    given: () => folder({ ...visited, name: 'Withdrawn', mode: 'revoked' }),
    text: 'No Key',
    steps: openSight,
  },
  { name: 'folder-empty-public', given: () => folder({ as: null, name: 'Empty shelf' }), text: 'No files shared yet' },
  {
    name: 'folder-arrived',
    async given() {
      const given = await arriving();
      arrive = given.arrive;
      return given;
    },
    text: 'No files shared yet',
    async steps({ shown }) {
      arrive();
      await shown('planet.webp');
    },
  },
  { name: 'folder-no-key', given: () => folder({ ...visited, withoutKey: true }), text: 'No Key' },
  {
    name: 'folder-no-key-files',
    given: () => folder({ ...visited, withoutKey: true }),
    text: 'No Key',
    steps: ({ press }) => press('Show the sealed files'),
  },
  {
    name: 'folder-unnamed',
    given: () => folder({ ...visited, facts: { folder_name: null } }),
    text: 'aurora-over-the-lake.webp and 1 more file',
  },
  {
    name: 'folder-gone',
    async given() {
      const given = await folder(visited);
      let isThere = true;
      return {
        ...given,
        answers: {
          ...given.answers,
          [DATA]: () => (isThere ? Response.json(given.data) : refusal(404, 'folder.not_found')()),
          'POST /rest/v1/changes': () => {
            isThere = false;
            return new Response(`data: ${JSON.stringify({ slug: SLUG, version: null, age_ms: 0 })}\n\n`);
          },
        },
      };
    },
    text: 'Mika deleted this folder',
  },
  {
    name: 'folder-key-refused',
    given: () => folder({ ...visited, withoutKey: true }),
    text: 'No Key',
    async steps({ type, press, shown }) {
      await type('Link or key', 'the key');
      await press('Open Files');
      await shown(/^This is neither a link/);
    },
  },
  {
    name: 'folder-link-over',
    given: () => folder({ ...visited, withoutKey: true }),
    text: 'No Key',
    async steps({ drag }) {
      const data = new DataTransfer();
      data.items.add(`${location.origin}/f/${SLUG}#k=${'a'.repeat(43)}`, 'text/uri-list');
      await drag('dragover', data);
    },
  },
  {
    name: 'folder-bad-key',
    async given() {
      const given = await folder({ ...visited, withoutKey: true });
      return { ...given, address: `${given.address}#${'a'.repeat(120)}` };
    },
    text: /Expected 128 hex characters, got 120/,
  },
  {
    name: 'passphrase',
    given: () => folder({ ...visited, name: 'Under seal', passphrase: true }),
    text: 'This folder needs a passphrase',
  },
  {
    name: 'passphrase-wrong',
    given: () =>
      folder({
        ...visited,
        name: 'Under seal',
        passphrase: true,
        answers: {
          [`POST ${PATHS.key}/`]: () =>
            Response.json({ success: false, error: 'Wrong passphrase', tries_left: 9 }, { status: 403 }),
        },
      }),
    text: 'This folder needs a passphrase',
    async steps({ type, press, shown }) {
      await type('Passphrase', 'not this one');
      await press('Open Files', '[role=region], section');
      await shown(/^Wrong passphrase/);
    },
  },
  { name: 'folder-viewer', given: () => folder({ ...visited, as: JONAS }), text: 'Cached' },
  {
    name: 'info-viewer',
    given: () => folder({ ...visited, as: JONAS, search: '?tab=info' }),
    text: 'Folder Statistics',
  },
  {
    name: 'settings-viewer',
    given: () => folder({ ...visited, as: JONAS, search: '?tab=settings' }),
    text: 'Settings Access Restricted',
  },
];
