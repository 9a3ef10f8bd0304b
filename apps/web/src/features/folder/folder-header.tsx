import { Trans } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import { type ReactNode, Suspense, useState } from 'react';
import { cx } from '../../lib/base/class-names.ts';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { AccessBadge, RevokedBadge } from '../../ui/states/badge.tsx';
import { Countdown, type Lifetime } from './countdown.tsx';
import { ownerName } from './folder-facts.ts';

/** Owners only. */
const RenameFolder = lazyPart(() => import('./rename-folder.tsx'), 'RenameFolder');

interface FolderHeaderProps {
  folder: FolderCompleteData;
  /** What the folder is called here. */
  title: string;
  role: Role;
  /** Loads the folder's facts again. */
  onRenamed: () => void;
  lifetime: Lifetime;
  /** Actions of the role. */
  children: ReactNode;
}

export function FolderHeader({ folder, title, role, lifetime, onRenamed, children }: FolderHeaderProps) {
  const [isEditing, setEditing] = useState(false);
  const owner = ownerName(folder);
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4 max-sm:gap-y-3">
      <div className={cx('min-w-0', isEditing && 'w-full sm:w-auto sm:flex-1')}>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h1 className={cx('display text-3xl wrap-anywhere max-sm:text-2xl', isEditing && 'sr-only')}>{title}</h1>
          {/* One box: none starts a line alone while there is room. */}
          <div className={cx('flex items-center gap-1.5', isEditing ? 'w-full' : 'flex-wrap')}>
            {!isEditing && <AccessBadge role={role} />}
            {!isEditing && role === 'owner' && folder.folder_link_mode === 'revoked' && <RevokedBadge />}
            {role === 'owner' && (
              <Suspense>
                <RenameFolder folder={folder} isEditing={isEditing} onEditing={setEditing} onRenamed={onRenamed} />
              </Suspense>
            )}
          </div>
        </div>
        {/* On a phone the address bar has the slug, and the files come first. */}
        <p className={cx('mt-1 text-sm text-muted wrap-anywhere', !folder.folder_description && 'max-sm:hidden')}>
          <span className="text-xs text-subtle tabular max-sm:hidden">/f/{folder.folder_slug}</span>
          {folder.folder_description && (
            <span className="sm:before:mx-2 sm:before:text-subtle sm:before:content-['·']">
              {folder.folder_description}
            </span>
          )}
        </p>
        {role !== 'owner' && (
          <p className="mt-1 text-sm text-muted">
            <Trans>
              From {owner} · <Countdown lifetime={lifetime} /> left
            </Trans>
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2 max-sm:w-full">{children}</div>
    </header>
  );
}
