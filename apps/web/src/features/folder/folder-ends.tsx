import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { useEffect, useEffectEvent, useState } from 'react';
import { useSession } from '../../account/session/session.ts';
import { userIdOf } from '../../account/session/session-state.ts';
import { announce } from '../../lib/base/announce.ts';
import { useNow, useTitle } from '../../lib/browser/hooks.ts';
import { unnamedTitle } from '../../lib/figures/folder-title.ts';
import { localDateTime, timeAgo } from '../../lib/figures/format.ts';
import { HomeButton, PageState } from '../../ui/states/states.tsx';
import { ownerName } from './folder-facts.ts';
import { FolderState, SignInLink } from './folder-states.tsx';

const MINUTE_MS = 60_000;

/** Pages for a folder that has ended or never existed; active folders don't load them. */

/** Says what ended the folder that was on the page: no one has asked for another page, and what had the focus is gone. */
function useSaidEnd(text: string | null): void {
  const say = useEffectEvent(() => {
    if (text === null) return;
    announce(text, true);
    document.getElementById('main')?.focus({ preventScroll: true });
  });
  useEffect(() => say(), []);
}

interface FolderExpiredProps {
  expiresAt: string;
  /** The folder was on the page when it expired. */
  wasOpen: boolean;
}

export function FolderExpired({ expiresAt, wasOpen }: FolderExpiredProps) {
  const { t } = useLingui();
  const date = localDateTime(expiresAt);
  useSaidEnd(wasOpen ? t`This folder expired on ${date}.` : null);
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

interface FolderGoneProps {
  folder: FolderCompleteData;
  /** Whether the page has just been out of sight or offline, and can't say when the folder went. */
  isAway: () => boolean;
}

/** A folder that was on the page, and that the server doesn't find any more. */
export function FolderGone({ folder, isAway }: FolderGoneProps) {
  const { t } = useLingui();
  const nowMs = useNow();
  const [sinceMs] = useState(() => (isAway() ? null : nowMs));
  const isOwner = userIdOf(useSession()) === folder.folder_owner_profile_id;
  const owner = ownerName(folder);
  // Who was let in by name may have been shut out: the answer is the same.
  const isRestricted = folder.folder_access === 'restricted';
  const name = folder.folder_name || unnamedTitle(folder.folder_created_at);
  const what = isOwner
    ? t`You deleted this folder`
    : isRestricted
      ? t`This folder is closed to you now`
      : t`${owner} deleted this folder`;
  useSaidEnd(what);
  const ago = sinceMs !== null && nowMs - sinceMs >= MINUTE_MS ? timeAgo(sinceMs, nowMs) : null;
  return (
    <FolderState pose="missing" title={what}>
      <p className="font-medium text-ink">{name}</p>
      {sinceMs !== null && (
        <p className="mt-1 tabular">
          {ago === null ? (
            <Trans>It happened just now, while you had the folder open.</Trans>
          ) : (
            <Trans>It happened {ago}, while you had the folder open.</Trans>
          )}
        </p>
      )}
      <p className="mt-2 text-subtle">
        {isRestricted && !isOwner ? (
          <Trans>
            {owner} has shut you out, or deleted the folder. If you still need its files, ask {owner}.
          </Trans>
        ) : (
          <Trans>Its files and its key are gone for good.</Trans>
        )}
      </p>
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
