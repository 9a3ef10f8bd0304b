import { Trans } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';

/** What the server can't see, said for each link mode (DESIGN R1, CONTAINER §2). */
const Cannot = ({ hidesNames }: { hidesNames: boolean }) =>
  hidesNames ? (
    <Trans>
      <b className="font-medium text-ink">It can’t</b> open the files, read their names, or read a key after the # in a
      link.
    </Trans>
  ) : (
    <Trans>
      <b className="font-medium text-ink">It can’t</b> open the files, or read a key after the # in a link.
    </Trans>
  );

const Can = ({ hidesNames }: { hidesNames: boolean }) =>
  hidesNames ? (
    <Trans>
      <b className="font-medium text-ink">It can</b> see how many files there are, how big they are and when they came,
      and the folder’s own name.
    </Trans>
  ) : (
    <Trans>
      <b className="font-medium text-ink">It can</b> see how many files there are, how big they are and when they came,
      the folder’s own name, and the names and types of the files.
    </Trans>
  );

/** Who can read a folder whose key is no secret, beside the server. */
const Open = ({ isPlain, isRestricted }: { isPlain: boolean; isRestricted: boolean }) => {
  if (isPlain) {
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

/** What the server can see of a folder, honestly, in every link mode. */
export function ServerSight({ folder }: { folder: FolderCompleteData }) {
  const { folder_link_mode: mode, hide_names: hidesNames } = folder;
  if (mode === 'plain' || mode === 'discord') {
    return (
      <p className="mt-3 text-xs text-muted">
        <Open isPlain={mode === 'plain'} isRestricted={folder.folder_access === 'restricted'} />
      </p>
    );
  }
  return (
    <ul className="mt-3 grid gap-2 text-xs text-muted">
      <li>
        <Cannot hidesNames={hidesNames} />
      </li>
      <li>
        <Can hidesNames={hidesNames} />
      </li>
    </ul>
  );
}
