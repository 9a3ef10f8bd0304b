import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { sharedAddress } from '@satchel/client/keys/link-parts';
import type { Folder } from '@satchel/contract/entities';
import { Link } from '@tanstack/react-router';
import { Check, Globe, KeyRound, Link2, Lock, Trash2 } from 'lucide-react';
import { announce } from '../../lib/base/announce.ts';
import { notify } from '../../lib/base/toast.ts';
import { useCopy, useNow } from '../../lib/browser/hooks.ts';
import { unnamedTitle } from '../../lib/figures/folder-title.ts';
import { bytes, countdown, countdownSpoken } from '../../lib/figures/format.ts';
import { IconButton } from '../../ui/base/button.tsx';
import { lifeTone, StitchRing } from '../../ui/base/stitch.tsx';
import { Badge, RevokedBadge } from '../../ui/states/badge.tsx';

const TONES = { subtle: 'text-subtle', danger: 'text-danger', warning: 'text-warning', accent: 'text-muted' } as const;

/** A plain folder reads 'Public', an encrypted one 'Private'. */
function VisibilityBadge({ folder }: { folder: Folder }) {
  const isPublic = folder.link_mode === 'plain';
  const Icon = isPublic ? Globe : Lock;
  return (
    <Badge icon={<Icon size={13} aria-hidden />}>{isPublic ? <Trans>Public</Trans> : <Trans>Private</Trans>}</Badge>
  );
}

/** Why the folder's link would not open it. */
function LinkBadge({ folder, fragment }: { folder: Folder; fragment: string | undefined }) {
  if (folder.link_mode === 'revoked') return <RevokedBadge />;
  if (folder.link_mode !== 'private' || fragment !== '') return null;
  return (
    <Badge tone="warning" icon={<KeyRound size={13} aria-hidden />}>
      <Trans>No Key here</Trans>
    </Badge>
  );
}

function Left({ leftMs }: { leftMs: number }) {
  const tone = TONES[lifeTone(leftMs)];
  const spoken = countdownSpoken(leftMs);
  return (
    <p className={`shrink-0 text-xs tabular sm:w-28 sm:text-right ${tone}`}>
      {leftMs <= 0 ? (
        <Trans>Expired</Trans>
      ) : (
        <>
          <span aria-hidden="true">{countdown(leftMs)}</span>
          <span className="sr-only">
            <Trans>{spoken} left</Trans>
          </span>
        </>
      )}
    </p>
  );
}

function useCopyLink({ slug, link_mode, show_name_in_previews }: Folder, fragment: string | undefined) {
  const { t } = useLingui();
  const [copied, copy] = useCopy();
  const copyLink = async () => {
    const done = await copy(`${sharedAddress(location.origin, slug, show_name_in_previews)}${fragment ?? ''}`);
    if (!done)
      notify(
        () => t`The browser did not let us copy. Open the folder, then Share, and select the link there.`,
        'error',
      );
    else if (link_mode === 'private' && !fragment)
      notify(() => t`This device has no key for this folder, so the link was copied without it.`, 'info');
    else announce(t`Link copied`);
  };
  return { copied, copyLink: () => void copyLink() };
}

interface FolderRowProps {
  folder: Folder;
  /** Fragment of the link; empty when this device has none, undefined until that is known. */
  fragment: string | undefined;
  onAskDelete: (folder: Folder) => void;
}

function Actions({ folder, fragment, onAskDelete }: FolderRowProps) {
  const { t } = useLingui();
  const { copied, copyLink } = useCopyLink(folder, fragment);
  const canCopy = folder.link_mode !== 'revoked';
  const describedBy = `folder-${folder.id}`;
  return (
    <div className="relative z-10 flex shrink-0 items-center justify-end sm:w-17">
      {canCopy && (
        <IconButton
          size="sm"
          label={copied ? t`✓ Copied!` : t`Copy link`}
          aria-describedby={describedBy}
          // A link that is copied before the device's keys are read would lack its key.
          disabled={folder.link_mode === 'private' && fragment === undefined}
          onClick={copyLink}
        >
          {copied ? <Check size={16} aria-hidden className="text-success" /> : <Link2 size={16} aria-hidden />}
        </IconButton>
      )}
      <IconButton size="sm" label={t`Delete`} aria-describedby={describedBy} onClick={() => onAskDelete(folder)}>
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

export function FolderRow(props: FolderRowProps) {
  const { folder, fragment } = props;
  const expiresMs = Date.parse(folder.expires_at);
  const leftMs = expiresMs - useNow();
  const gone = leftMs <= 0;
  const size = bytes(folder.size_bytes);
  return (
    <li className="relative flex items-center gap-3 px-4 py-3.5 transition-colors first:rounded-t-card last:rounded-b-card hover:bg-raised/60 sm:gap-4 sm:px-5">
      <StitchRing sizePx={44} fraction={leftMs / (expiresMs - Date.parse(folder.created_at))} tone={lifeTone(leftMs)} />
      <div className="flex min-w-0 flex-1 flex-col gap-x-4 gap-y-1.5 sm:flex-row sm:items-center">
        <div className="min-w-0 flex-1">
          <Link
            id={`folder-${folder.id}`}
            to="/f/$slug"
            params={{ slug: folder.slug }}
            className="text-sm font-medium wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-control focus-visible:after:outline-2 focus-visible:after:outline-focus"
          >
            {folder.name || unnamedTitle(folder.created_at)}
          </Link>
          <p className="text-xs text-muted tabular">
            {plural(folder.file_count, { one: '# file', other: '# files' })} ·{' '}
            <span className="whitespace-nowrap">
              <Trans>{size} stored</Trans>
            </span>
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 sm:gap-x-2 sm:flex-nowrap">
          {!gone && <LinkBadge folder={folder} fragment={fragment} />}
          <VisibilityBadge folder={folder} />
          <Left leftMs={leftMs} />
        </div>
      </div>
      {gone ? <span className="sm:w-17" /> : <Actions {...props} />}
    </li>
  );
}
