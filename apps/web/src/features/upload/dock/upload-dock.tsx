import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { AppError } from '@satchel/contract/errors';
import { Link, useLocation } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Hourglass, Upload, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSession } from '../../../account/session/session.ts';
import { type FolderActivity, uploadActivity } from '../../../engine/uploads/upload-activity.ts';
import { useStore } from '../../../lib/base/page-hooks.ts';
import { notify } from '../../../lib/base/toast.ts';
import { markDocument } from '../../../lib/browser/hooks.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { uploads } from '../page-uploads.ts';
import { LeaveDialog, useLeaveQuestion } from './leave-dialog.tsx';

const markUploads = markDocument('uploads');

/** Status in words. */
function Standing({ activity }: { activity: FolderActivity }) {
  const { files, completed, failed, left, percent, isBusy, isHeld } = activity;
  if (isHeld) return <Trans>Waiting for you. Open the folder to continue.</Trans>;
  if (isBusy) {
    return (
      <Trans>
        {completed} of <Plural value={files} one="# file" other="# files" /> · {percent}%
      </Trans>
    );
  }
  if (failed > 0) return <Plural value={failed} one="# file was not uploaded" other="# files were not uploaded" />;
  if (left > 0) return <Plural value={left} one="# file is not uploaded yet" other="# files are not uploaded yet" />;
  return <Plural value={completed} one="# file uploaded" other="# files uploaded" />;
}

function Sign({ activity: { isBusy, isHeld, failed, left } }: { activity: FolderActivity }) {
  const look = { size: 18, strokeWidth: 1.75, 'aria-hidden': true, className: 'shrink-0 text-muted' };
  if (isHeld) return <Hourglass {...look} className="shrink-0 text-warning" />;
  if (isBusy) return <Upload {...look} />;
  if (failed > 0) return <CircleAlert {...look} className="shrink-0 text-danger" />;
  return left > 0 ? <Hourglass {...look} /> : <CircleCheck {...look} className="shrink-0 text-success" />;
}

interface FolderLineProps {
  activity: FolderActivity;
  onDismiss: () => void;
}

function FolderLine({ activity, onDismiss }: FolderLineProps) {
  const { t } = useLingui();
  const { slug, hash, percent, isBusy, isHeld } = activity;
  const name = activity.name || slug;
  return (
    <li className="grid grid-cols-1 gap-2 p-3.5">
      <div className="flex items-center gap-3">
        <Sign activity={activity} />
        <div className="relative min-w-0 flex-1">
          {/* Hit up to 10 px above the name and down to the end of the text below it. */}
          <Link
            to="/f/$slug"
            params={{ slug }}
            search={{ upload: true }}
            hash={hash}
            className="block truncate rounded-chip text-sm font-medium text-ink underline decoration-line underline-offset-2 before:absolute before:inset-0 before:-top-2.5 hover:decoration-current"
          >
            {name}
          </Link>
          <p className="text-xs text-muted tabular">
            <Standing activity={activity} />
          </p>
        </div>
        {!isBusy && !isHeld && (
          <IconButton label={t`Dismiss the uploads of ${name}`} size="sm" onClick={onDismiss}>
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {isBusy && <StitchBar value={percent} label={t`Upload progress of ${name}`} />}
    </li>
  );
}

const isOver = ({ isBusy, isHeld, left, failed }: FolderActivity) => !isBusy && !isHeld && left === 0 && failed === 0;

/** How many files were in, by folder, when the end of its uploads was on screen: then the dock has no news of it. */
function useSeenEnds(all: readonly FolderActivity[]): ReadonlyMap<string, number> {
  const [seen, setSeen] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    const ends = all.filter((each) => each.isShown && isOver(each) && seen.get(each.folderId) !== each.completed);
    if (ends.length > 0) setSeen(new Map([...seen, ...ends.map((each) => [each.folderId, each.completed] as const)]));
  }, [all, seen]);
  return seen;
}

/**
 * Folders to list in the dock: without folders whose queue is on screen, or was when all of it was in, or whose page is
 * about to show a question.
 */
function useListed(): readonly FolderActivity[] {
  const all = useStore(uploadActivity);
  const seen = useSeenEnds(all);
  const path = useLocation({ select: ({ pathname }) => pathname });
  return all.filter((each) => {
    if (each.files === 0 || each.isShown || (each.isHeld && path === `/f/${each.slug}`)) return false;
    return !(isOver(each) && seen.get(each.folderId) === each.completed);
  });
}

/** Uploads belong to the person who started them: they stop when another person signs in, and on sign-out. */
function useOwnersOnly(): void {
  const session = useSession();
  const userId = session.state === 'in' ? session.user.id : null;
  const isKnown = session.state !== 'loading';
  useEffect(() => {
    // After a sign-out elsewhere, the queue is hidden: announce on this page why its uploads stopped.
    if (isKnown && uploads.keepOnlyOf(userId)) notify(() => errorText(new AppError('upload.unauthenticated')), 'error');
  }, [isKnown, userId]);
}

/** Uploads to folders that are not on screen, with links to those folders; on every page. */
export function UploadDock() {
  const { t } = useLingui();
  const all = useStore(uploadActivity);
  const listed = useListed();
  useOwnersOnly();
  const { asking, reply } = useLeaveQuestion(
    all.some(({ isBusy }) => isBusy),
    uploads.abandonAll,
  );
  const dismiss = (folderId: string) => {
    uploads.dismiss(folderId);
    // The button was removed: the next Tab starts at the content, not at the top of the page.
    document.getElementById('main')?.focus({ preventScroll: true });
  };
  return (
    <>
      {listed.length > 0 && (
        <section
          aria-label={t`Uploads`}
          ref={markUploads}
          className="card dock left-3 w-88 max-w-[calc(100vw-1.5rem)] overflow-hidden shadow-dialog motion-safe:animate-rise in-[[data-zip]]:bottom-28"
        >
          <ul className="max-h-64 divide-y divide-line overflow-y-auto">
            {listed.map((activity) => (
              <FolderLine key={activity.folderId} activity={activity} onDismiss={() => dismiss(activity.folderId)} />
            ))}
          </ul>
        </section>
      )}
      {asking && <LeaveDialog count={all.reduce((sum, { left }) => sum + left, 0)} onAnswer={reply} />}
    </>
  );
}
