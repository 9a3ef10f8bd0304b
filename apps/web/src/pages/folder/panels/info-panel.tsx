import { Suspense } from 'react';
import { InfoTab } from '../../../features/activity/info-tab.tsx';
import { lazyPart } from '../../../lib/texts/lazy-part.ts';
import { Dots } from '../../../ui/base/button.tsx';
import type { FolderPageParts, FolderPageProps } from '../use-folder-page.ts';

const ServerSight = lazyPart(() => import('../../../features/folder/server-sight.tsx'), 'ServerSight', 'later');

interface InfoPanelProps extends FolderPageProps {
  parts: FolderPageParts;
  /** The folder as the server sent it; it may show more than this page lets the server see. */
  seen: FolderPageProps['folder'];
}

/** The Info tab, with what the page knows of the folder. */
export const InfoPanel = ({ folder, seen, role, userId, parts }: InfoPanelProps) => (
  <InfoTab
    folder={folder}
    role={role}
    userId={userId}
    files={parts.files.loading ? null : parts.files.files}
    sight={
      <Suspense fallback={<Dots />}>
        <ServerSight folder={seen} />
      </Suspense>
    }
  />
);
