import type { FolderCompleteData } from '@satchel/contract/api';
import type { Role } from '@satchel/contract/roles';
import type { ReactNode } from 'react';
import { AccessBadge } from '../../ui/states/badge.tsx';

interface FolderHeaderProps {
  folder: FolderCompleteData;
  role: Role;
  /** Actions of the role. */
  children: ReactNode;
}

export const FolderHeader = ({ folder, role, children }: FolderHeaderProps) => (
  <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <h1 className="display text-3xl wrap-anywhere">{folder.folder_name || folder.folder_slug}</h1>
        <AccessBadge role={role} />
      </div>
      <p className="mt-1 text-sm text-muted wrap-anywhere">
        <span className="font-mono text-xs text-subtle">/f/{folder.folder_slug}</span>
        {folder.folder_description && (
          <span className="before:mx-2 before:text-subtle before:content-['·']">{folder.folder_description}</span>
        )}
      </p>
    </div>
    <div className="flex flex-wrap gap-2 max-sm:w-full">{children}</div>
  </header>
);
