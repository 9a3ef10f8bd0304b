import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Folder, Profile } from '@satchel/contract/entities';
import type { Role } from '@satchel/contract/roles';
import type { ReactNode } from 'react';
import { useOwnFolders, useOwnProfile } from '../../account/own-data/own-account.ts';
import { bytes } from '../../lib/figures/format.ts';
import { Card } from '../../ui/sections/card.tsx';
import { LoadedPart } from '../../ui/sections/loaded-part.tsx';
import { leastSteps, type Share, storageShares } from './storage-slices.ts';

const FILLS: Record<Share['of'], string> = {
  this_folder: 'bg-graph forced-colors:bg-[CanvasText]',
  other_folders: 'bg-info forced-colors:bg-[Highlight]',
  previews: 'bg-edge forced-colors:bg-[ButtonText]',
  uploads: 'bg-success forced-colors:bg-[GrayText]',
};

/** The narrowest slice. */
const LEAST_REM = 0.25;

function ShareName({ of, isOwner }: { of: Share['of']; isOwner: boolean }) {
  if (of === 'this_folder') return <Trans>This folder</Trans>;
  if (of === 'previews') return <Trans>Previews</Trans>;
  if (of === 'uploads') return <Trans>Uploads under way</Trans>;
  return isOwner ? <Trans>Your other folders</Trans> : <Trans>Your folders</Trans>;
}

interface MeterProps {
  shares: readonly Share[];
  totalBytes: number;
  isOwner: boolean;
}

function Meter({ shares, totalBytes, isOwner }: MeterProps) {
  const { t, i18n } = useLingui();
  const usedBytes = shares.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const fraction = Math.min(1, usedBytes / totalBytes);
  const [used, total] = [bytes(usedBytes, totalBytes), bytes(totalBytes)];
  return (
    <>
      <p className="mt-3 flex items-baseline justify-between gap-4 text-sm text-muted tabular">
        <span>
          <Trans>
            <b className="display text-2xl text-ink">{used}</b> of {total}
          </Trans>
        </span>
        <span className="font-medium text-ink">
          {i18n.number(fraction, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })}
        </span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser's own meter has one colour */}
      <div
        role="meter"
        aria-label={t`Storage used`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(fraction * 100)}
        aria-valuetext={t`${used} of ${total}`}
        className="mt-4 flex h-3 gap-0.5 overflow-hidden rounded-full bg-raised forced-colors:border"
      >
        {shares
          .filter(({ sizeBytes }) => sizeBytes > 0)
          .map((share) => (
            <span
              key={share.of}
              className={`forced-color-adjust-none ${FILLS[share.of]}`}
              style={{
                width: `${(100 * share.sizeBytes) / totalBytes}%`,
                minWidth: `${LEAST_REM * leastSteps(share, shares)}rem`,
              }}
            />
          ))}
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
        {shares.map(({ of, sizeBytes }) => (
          <li key={of} className="inline-flex items-center gap-1.5">
            <span className={`size-2.5 rounded-[3px] forced-color-adjust-none ${FILLS[of]}`} />
            <ShareName of={of} isOwner={isOwner} />
            <span className="tabular">{bytes(sizeBytes)}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-2xs text-subtle">
        <Trans>Sizes as stored: an encrypted file takes a little more than its own size.</Trans>
      </p>
    </>
  );
}

const Count = ({ name, count }: { name: ReactNode; count: number | undefined }) => (
  <div className="flex items-baseline justify-between gap-3">
    <dt className="text-muted">{name}</dt>
    <dd className="font-medium tabular">{count ?? '–'}</dd>
  </div>
);

const fileCount = (folders: readonly Folder[]) => folders.reduce((sum, { file_count }) => sum + file_count, 0);

const sharesOf = (profile: Profile, folder: FolderCompleteData, role: Role, folders: readonly Folder[] | undefined) =>
  storageShares({
    usedBytes: profile.used_bytes,
    reservedBytes: profile.reserved_bytes,
    folderBytes: role === 'owner' ? folder.folder_size_bytes : null,
    foldersBytes: folders ? folders.reduce((sum, { size_bytes }) => sum + size_bytes, 0) : null,
  });

interface StorageOverviewProps {
  folder: FolderCompleteData;
  role: Role;
  userId: string;
}

/** Storage Overview: the person's own account, with real figures. */
export function StorageOverview({ folder, role, userId }: StorageOverviewProps) {
  const { t } = useLingui();
  const profile = useOwnProfile(userId);
  const folders = useOwnFolders(userId);
  return (
    <Card title={<Trans>Storage Overview</Trans>} className="p-5">
      <LoadedPart query={profile} loading={t`Loading storage`}>
        {(loaded) => (
          <Meter
            shares={sharesOf(loaded, folder, role, folders.data)}
            totalBytes={loaded.limits.storage_bytes}
            isOwner={role === 'owner'}
          />
        )}
      </LoadedPart>
      <dl className="mt-5 grid grid-cols-2 gap-4 border-t border-line pt-4 text-sm">
        <Count name={<Trans>Folders</Trans>} count={folders.data?.length} />
        <Count name={<Trans>Files</Trans>} count={folders.data && fileCount(folders.data)} />
      </dl>
    </Card>
  );
}
