import { Trans, useLingui } from '@lingui/react/macro';
import type { FolderCompleteData } from '@satchel/contract/api';
import { ChevronDown, ShieldCheck } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../lib/texts/lazy-part.ts';
import { Avatar } from '../../ui/base/avatar.tsx';
import { Countdown, LifeRing, type Lifetime } from './countdown.tsx';
import { type FileCounts, factRows, ownerName, sizeText, totalLine } from './folder-facts.ts';

interface FactsProps {
  folder: FolderCompleteData;
  /** The folder as the server sent it; it may show more than this page lets the server see. */
  seen: FolderCompleteData;
  /** Null until the files are listed. */
  counts: FileCounts | null;
  /** Null for the owner. */
  onReport: (() => void) | null;
}

function Facts({ folder, counts }: Pick<FactsProps, 'folder' | 'counts'>) {
  const owner = ownerName(folder);
  return (
    <dl className="grid gap-2.5 text-sm">
      <div className="flex items-center justify-between gap-4">
        <dt className="text-muted">
          <Trans>Owner</Trans>
        </dt>
        <dd className="inline-flex min-w-0 items-center gap-2">
          {/* Files come first on a slow line. */}
          <Avatar name={owner} url={counts && folder.owner_avatar_url} sizePx={20} />
          <span className="truncate">{owner}</span>
        </dd>
      </div>
      {factRows(folder, counts).map(([name, value]) => (
        <div key={name} className="flex items-center justify-between gap-4">
          <dt className="text-muted">{name}</dt>
          <dd className="text-right tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Loads on the first click. */
const ServerSight = lazyPart(() => import('./server-sight.tsx'), 'ServerSight', 'later');

function Notes({ seen, onReport }: Pick<FactsProps, 'seen' | 'onReport'>) {
  const isBlind = seen.folder_link_mode === 'private' || seen.folder_link_mode === 'revoked';
  const [wanted, setWanted] = useState(false);
  return (
    <>
      <details onToggle={() => setWanted(true)} className="group/note mt-5 border-t border-line pt-4 text-sm">
        <summary className="flex cursor-pointer list-none items-center gap-2 rounded-chip text-muted hover:text-ink">
          <ShieldCheck size={16} strokeWidth={1.75} aria-hidden className={isBlind ? 'text-success' : 'text-subtle'} />
          <Trans>What the server can see</Trans>
          <ChevronDown size={15} aria-hidden className="ml-auto transition-transform group-open/note:rotate-180" />
        </summary>
        <Suspense>{wanted && <ServerSight folder={seen} />}</Suspense>
      </details>
      {onReport && (
        <button
          type="button"
          onClick={onReport}
          className="mt-3 rounded-chip text-xs text-subtle underline underline-offset-4 hover:text-ink"
        >
          <Trans>Report</Trans>
        </button>
      )}
    </>
  );
}

interface FactsPanelProps extends FactsProps {
  lifetime: Lifetime;
}

const ExpiresIn = (props: { lifetime: Lifetime; className: string }) => (
  <span className="flex-1">
    <span className="block text-xs text-muted">
      <Trans>Expires in</Trans>
    </span>
    <Countdown {...props} />
  </span>
);

/** The sidebar of wide screens. */
export function FactsPanel({ folder, seen, counts, lifetime, onReport }: FactsPanelProps) {
  const { t } = useLingui();
  return (
    <aside aria-label={t`Folder details`} className="h-full max-lg:hidden">
      <div className="card sticky top-20 overflow-hidden">
        {/* What continues below its edge fades. */}
        <div className="max-h-[calc(100dvh-6rem)] overflow-y-auto p-5 pb-7 [mask-image:linear-gradient(to_top,transparent,black_2rem)]">
          <div className="mb-5 flex items-center gap-4 border-b border-line pb-5">
            <LifeRing lifetime={lifetime} sizePx={64} />
            <ExpiresIn lifetime={lifetime} className="display text-lg" />
          </div>
          <Facts folder={folder} counts={counts} />
          <Notes seen={seen} onReport={onReport} />
        </div>
      </div>
    </aside>
  );
}

/** The same facts on narrow screens: one row that expands. */
export function FactsRow({ folder, seen, counts, lifetime, onReport }: FactsPanelProps) {
  const { t } = useLingui();
  const total = totalLine(folder, counts);
  return (
    <aside aria-label={t`Folder details`} className="lg:hidden">
      <details className="card group">
        <summary className="flex cursor-pointer list-none items-center gap-3.5 rounded-card p-3.5">
          <LifeRing lifetime={lifetime} sizePx={44} />
          <ExpiresIn lifetime={lifetime} className="display text-base" />
          <span className="text-right text-xs text-muted tabular">
            {total !== null && <span className="block text-ink">{total}</span>}
            {sizeText(folder, counts)}
          </span>
          <ChevronDown size={18} aria-hidden className="text-subtle transition-transform group-open:rotate-180" />
        </summary>
        <div className="border-t border-line p-4">
          <Facts folder={folder} counts={counts} />
          <Notes seen={seen} onReport={onReport} />
        </div>
      </details>
    </aside>
  );
}
