import { Link } from '@tanstack/react-router';
import { localDateTime } from '../../lib/format.ts';
import { useTitle } from '../../lib/hooks.ts';
import { Button, Dots } from '../../ui/button.tsx';
import { Mark } from '../../ui/mark.tsx';
import { HomeButton, PageState } from '../../ui/states.tsx';

export function FolderLoading() {
  useTitle('Loading folder');
  return (
    <div className="wrap grid min-h-[60dvh] place-items-center">
      <div className="text-center" aria-busy="true">
        <Mark sizePx={56} className="mx-auto motion-safe:animate-dot" />
        <h1 className="display mt-5 text-xl">Loading folder...</h1>
        <p className="mt-1 font-mono text-xs text-subtle">Fetching consolidated data via RPC...</p>
        <div className="mt-4 flex justify-center text-subtle">
          <Dots label="Loading folder" />
        </div>
      </div>
    </div>
  );
}

export function FolderError({ onRetry }: { onRetry: () => void }) {
  useTitle('Something went wrong');
  return (
    <PageState
      pose="error"
      title="Something went wrong"
      actions={
        <>
          <HomeButton />
          <Button size="lg" onClick={onRetry}>
            Try Again
          </Button>
        </>
      }
    >
      Unable to load folder data. Please try again.
    </PageState>
  );
}

export function FolderExpired({ expiresAt }: { expiresAt: string }) {
  useTitle('Folder Expired');
  return (
    <PageState pose="expired" title="Folder Expired" actions={<HomeButton />}>
      <p>This folder expired on {localDateTime(expiresAt)}.</p>
      <p className="mt-2 text-subtle">Its files and its key can no longer be read. Ask the owner to pack a new one.</p>
    </PageState>
  );
}

const REASONS = [
  'It was deleted by its owner',
  'It has expired',
  'The URL was typed incorrectly',
  'You have no permission to access it',
];

export function FolderNotFound({ slug }: { slug: string }) {
  useTitle('Folder Not Found');
  return (
    <PageState
      back
      pose="missing"
      title="Folder Not Found"
      actions={
        <>
          <HomeButton />
          <Button asChild size="lg">
            <Link to="/auth">Sign In</Link>
          </Button>
        </>
      }
    >
      <p>
        The folder at <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-xs text-ink">/{slug}</code>{' '}
        doesn’t exist or has been removed.
      </p>
      <ul className="mx-auto mt-6 grid w-fit gap-1.5 text-left">
        {REASONS.map((reason) => (
          <li
            key={reason}
            className="flex gap-2.5 before:mt-[0.6em] before:h-0.5 before:w-2.5 before:shrink-0 before:rounded-full before:bg-stitch"
          >
            {reason}
          </li>
        ))}
      </ul>
    </PageState>
  );
}

export function NoSlug() {
  useTitle('No folder');
  return (
    <PageState pose="missing" title="No folder selected" actions={<HomeButton />}>
      This address is missing the folder’s short name. Open the full link you were sent.
    </PageState>
  );
}
