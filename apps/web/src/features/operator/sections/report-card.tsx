import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { Report, ReportedFolder } from '@satchel/contract/abuse';
import type { ReactNode } from 'react';
import { bytes, localDateTime } from '../../../lib/figures/format.ts';
import { AnchorButton, Button } from '../../../ui/base/button.tsx';
import { REPORT_REASONS } from '../../../ui/report-reasons.ts';
import { Failure } from '../../../ui/sections/failure.tsx';
import { Badge } from '../../../ui/states/badge.tsx';
import type { SealedToMe } from '../use-own-keys.ts';

const Fact = ({ name, children }: { name: ReactNode; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4 sm:block">
    <dt className="shrink-0 text-xs text-muted">{name}</dt>
    <dd className="min-w-0 text-right wrap-anywhere tabular sm:mt-0.5 sm:text-left">{children}</dd>
  </div>
);

function LinkMode({ mode }: { mode: ReportedFolder['link_mode'] }) {
  if (mode === 'plain') return <Trans>Not encrypted</Trans>;
  if (mode === 'private') return <Trans>Encrypted, private link</Trans>;
  if (mode === 'discord') return <Trans>Encrypted, Discord link</Trans>;
  return <Trans>Encrypted, link revoked</Trans>;
}

function FolderFacts({ folder }: { folder: ReportedFolder }) {
  const size = bytes(folder.size_bytes);
  const files = plural(folder.file_count, { one: '# file', other: '# files' });
  return (
    <dl className="grid gap-x-6 gap-y-2.5 text-sm sm:grid-cols-3">
      <Fact name={<Trans>Owner</Trans>}>
        {folder.owner_username && <span translate="no">{folder.owner_username} </span>}
        <span className="font-mono text-xs text-muted">{folder.owner_discord_id}</span>
      </Fact>
      <Fact name={<Trans>Files</Trans>}>
        {files}, {size}
      </Fact>
      <Fact name={<Trans>Link</Trans>}>
        <LinkMode mode={folder.link_mode} />
      </Fact>
      <Fact name={<Trans>Created</Trans>}>{localDateTime(folder.created_at)}</Fact>
      <Fact name={<Trans>Expires</Trans>}>{localDateTime(folder.expires_at)}</Fact>
    </dl>
  );
}

function Outcome({ report }: { report: Report }) {
  return (
    <>
      {report.outcome === 'dismissed' && (
        <Badge>
          <Trans>Dismissed</Trans>
        </Badge>
      )}
      {report.outcome === 'taken_down' && (
        <Badge tone="danger">
          <Trans>Taken down</Trans>
        </Badge>
      )}
      {report.folder?.is_owner_banned && (
        <Badge tone="warning">
          <Trans>Owner banned</Trans>
        </Badge>
      )}
    </>
  );
}

function Looks({ report, sealed }: { report: Report; sealed: SealedToMe }) {
  const slug = report.folder_slug;
  return (
    <>
      <AnchorButton href={`/f/${slug}`} target="_blank" rel="noreferrer">
        <Trans>Open folder</Trans>
      </AnchorButton>
      {sealed.open && (
        <Button onClick={sealed.open}>
          <Trans>Open with the reporter’s key</Trans>
        </Button>
      )}
    </>
  );
}

interface ReportCardProps {
  report: Report;
  sealed: SealedToMe;
  busy: boolean;
  onDismiss: () => void;
  onTakeDown: () => void;
  onBan: () => void;
}

/** A report, its folder, and the operator's actions. */
export function ReportCard({ report, sealed, busy, onDismiss, onTakeDown, onBan }: ReportCardProps) {
  const { t } = useLingui();
  const { folder, note, closed_at: closedAt, taken_down_reason: takenDownReason } = report;
  const isOpen = closedAt === null;
  return (
    <li className="card grid gap-4 p-5" aria-label={folder?.name || report.folder_slug}>
      <div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h2 className="text-base font-semibold wrap-anywhere" translate="no">
            {folder?.name || <span className="font-mono text-sm">{report.folder_slug}</span>}
          </h2>
          <Outcome report={report} />
          <p className="text-xs text-subtle tabular sm:ml-auto">{localDateTime(report.created_at)}</p>
        </div>
        <p className="mt-1 text-sm text-danger">{t(REPORT_REASONS[report.reason])}</p>
      </div>
      {note && (
        <p translate="no" className="rounded-control bg-sunken p-3.5 text-sm whitespace-pre-line wrap-anywhere">
          {note}
        </p>
      )}
      {takenDownReason && (
        <p className="text-sm text-muted wrap-anywhere">
          <Trans>The reason given:</Trans> <span translate="no">{takenDownReason}</span>
        </p>
      )}
      {folder ? (
        <FolderFacts folder={folder} />
      ) : (
        <p className="text-sm text-muted">
          <Trans>This folder is gone.</Trans>
        </p>
      )}
      {sealed.isElsewhere && folder && (
        <p className="text-xs text-subtle">
          <Trans>The reporter included the key, but sealed to a key that this browser does not have.</Trans>
        </p>
      )}
      <Failure text={sealed.failed ? t`What the reporter sealed is not the key of a folder.` : null} />
      <div className="flex flex-wrap gap-2.5">
        {folder && <Looks report={report} sealed={sealed} />}
        {isOpen && (
          <Button disabled={busy} onClick={onDismiss}>
            <Trans context="report">Dismiss</Trans>
          </Button>
        )}
        {folder && (
          <Button tone="dangerSoft" onClick={onTakeDown}>
            <Trans>Take down</Trans>
          </Button>
        )}
        {folder && !folder.is_owner_banned && (
          <Button tone="dangerSoft" onClick={onBan}>
            <Trans>Ban owner</Trans>
          </Button>
        )}
      </div>
    </li>
  );
}
