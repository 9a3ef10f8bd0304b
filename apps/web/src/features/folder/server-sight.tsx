import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { factsSeen, type SightFact } from '@satchel/contract/server-sight';
import { Link } from '@tanstack/react-router';

/** Comes first: the files' contents matter most. */
type Headlined = 'contents' | 'key';

/** Texts a fact; apps/server/test/database/schema-sight.test.ts maps each column to its fact. */
const SENTENCES: Readonly<Record<Exclude<SightFact, Headlined>, MessageDescriptor>> = {
  file_figures: msg`How many there are, how big they are and when they came. Unfinished uploads, too.`,
  stills: msg`Which files have a small preview picture, and so are pictures, films, PDFs or songs with a cover, and roughly how big the preview is.`,
  file_names: msg`Their names and types.`,
  folder: msg`Its name, description, short link and settings, when it was made and when it ends.`,
  passphrase: msg`Whether there is a passphrase, and the wrong tries of the last hour.`,
  owner: msg`The Discord account: name, ID, pictures and e-mail address. How much it stores here.`,
  visits: msg`Views, downloads and new visitors, hour by hour.`,
  visitors: msg`Who was signed in, when and how often. Everyone else only under a pseudonym that ends with the day. IP addresses are not kept, nor which file was downloaded.`,
  discord: msg`What /upload was asked for, which people and servers /share lets in, and how many browsers came in that way.`,
  reports: msg`What people report about it, and not who they are. A key that they add is sealed to the operators of this site.`,
  afterwards: msg`For 30 days its short link, so that it doesn’t lead to another folder; and what was reported or taken down, and why.`,
};
const HIDDEN_NAMES = msg`Not the names and types of files, unless the files came while names were readable.`;
const COULD_WITH_KEY = msg`It could change files, leave some out, or show an older list.`;
const COULD = msg`It could leave files out, or show an older list, and this page would not notice. It also sends this page: changed code could pass a key on.`;
const COULD_WITH_LINK = msg`Everyone with the link has the folder’s keys. With the help of one of them, the server could add a file.`;
const COULD_WITH_OLD_LINK = msg`After the link is replaced, the server could still accept the old link on a device that never opened the folder. That device would see the folder as it was before.`;

const PARTS: readonly (readonly [MessageDescriptor, readonly (keyof typeof SENTENCES)[]])[] = [
  [msg`Files`, ['file_figures', 'stills', 'file_names']],
  [msg`Folder`, ['folder', 'passphrase']],
  [msg`Owner`, ['owner']],
  [msg`Visitors`, ['visits', 'visitors']],
  [msg`Discord`, ['discord']],
  [msg`Reports`, ['reports']],
  [msg`What stays afterwards`, ['afterwards']],
];

/** The limits of a server without the key (docs/container.md §3). */
const Closed = () => (
  <Trans>
    <b className="font-medium text-ink">Our server can’t</b> open the files, or read a key after the # in a link. If a
    Discord link was on before, our server could, and may have kept the key.
  </Trans>
);

/** Who can read a folder whose key is public, apart from the server. */
const Open = ({ hasKey, isRestricted }: { hasKey: boolean; isRestricted: boolean }) => {
  if (!hasKey) {
    return isRestricted ? (
      <Trans>This folder is not encrypted. Our server and everyone who is let in can read its files.</Trans>
    ) : (
      <Trans>This folder is not encrypted. Our server and everyone with the link can read its files.</Trans>
    );
  }
  return isRestricted ? (
    <Trans>
      The Discord link is on: our server holds this folder’s key and can read these files while this is on, and so can
      everyone who is let in.
    </Trans>
  ) : (
    <Trans>
      The Discord link is on: our server holds this folder’s key and can read these files while this is on, and so can
      everyone with the link.
    </Trans>
  );
};

type SightProps = Pick<FolderCompleteData, 'folder_link_mode' | 'folder_access' | 'hide_names'>;

/** What the server can see of a folder, in every link mode (docs/container.md §2). */
export function ServerSight({ folder }: { folder: SightProps }) {
  const { t } = useLingui();
  const facts = factsSeen({ link_mode: folder.folder_link_mode, hide_names: folder.hide_names });
  const isOpen = facts.has('contents');
  const sentencesOf = (part: (typeof PARTS)[number][1]) => [
    ...part.filter((fact) => facts.has(fact)).map((fact) => SENTENCES[fact]),
    ...(part.includes('file_names') && !facts.has('file_names') ? [HIDDEN_NAMES] : []),
  ];
  const rows = [
    ...PARTS.map(([label, part]) => [label, sentencesOf(part)] as const),
    [msg`What it could do`, isOpen ? [COULD_WITH_KEY] : [COULD, COULD_WITH_LINK, COULD_WITH_OLD_LINK]] as const,
  ];
  return (
    <div className="mt-3 grid gap-3 text-xs text-muted">
      <p>
        {isOpen ? <Open hasKey={facts.has('key')} isRestricted={folder.folder_access === 'restricted'} /> : <Closed />}
      </p>
      <p>
        <Trans>What our server keeps of this folder:</Trans>
      </p>
      <dl className="grid gap-2">
        {rows.map(([label, sentences]) => (
          <div key={label.id}>
            <dt className="font-medium text-ink">{t(label)}</dt>
            <dd>{sentences.map((sentence) => t(sentence)).join(' ')}</dd>
          </div>
        ))}
      </dl>
      <p>
        <Link
          to="/check"
          className="-my-2 inline-flex min-h-11 items-center text-accent-text underline underline-offset-4"
        >
          <Trans>How to check what this site sends</Trans>
        </Link>
      </p>
    </div>
  );
}
