import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useTitle } from '../../lib/browser/hooks.ts';
import { localDateTime } from '../../lib/figures/format.ts';
import { HomeButton, PageState } from '../../ui/states/states.tsx';
import { FolderState, SignInLink } from './folder-states.tsx';

/** Pages for a folder that has ended or never existed; active folders don't load them. */

export function FolderExpired({ expiresAt }: { expiresAt: string }) {
  const { t } = useLingui();
  const date = localDateTime(expiresAt);
  return (
    <FolderState pose="expired" title={t`Folder Expired`}>
      <p>
        <Trans>This folder expired on {date}.</Trans>
      </p>
      <p className="mt-2 text-subtle">
        <Trans>The folder’s files and key can no longer be read. Ask the owner for a new folder.</Trans>
      </p>
    </FolderState>
  );
}

const REASONS: readonly MessageDescriptor[] = [
  msg`It was deleted by its owner`,
  msg`It has expired`,
  msg`The URL was typed incorrectly`,
  msg`You have no permission to access it`,
];

export function FolderNotFound({ slug }: { slug: string }) {
  const { t } = useLingui();
  return (
    <FolderState back pose="missing" title={t`Folder Not Found`} action={<SignInLink />}>
      <p>
        <Trans>
          The folder at <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-xs text-ink">/{slug}</code>{' '}
          doesn’t exist or has been removed.
        </Trans>
      </p>
      <ul className="mx-auto mt-6 grid w-fit gap-1.5 text-left">
        {REASONS.map((reason) => (
          <li
            key={reason.id}
            className="flex gap-2.5 before:mt-[0.6em] before:h-0.5 before:w-2.5 before:shrink-0 before:rounded-full before:bg-stitch"
          >
            {t(reason)}
          </li>
        ))}
      </ul>
    </FolderState>
  );
}

export function NoSlug() {
  const { t } = useLingui();
  useTitle(t`No folder`);
  return (
    <PageState pose="missing" title={t`No folder selected`} actions={<HomeButton />}>
      <Trans>This address is missing the folder’s short name. Open the full link you were sent.</Trans>
    </PageState>
  );
}
