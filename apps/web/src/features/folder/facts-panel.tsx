import type { FolderCompleteData } from '@satchel/contract/api';
import type { LinkMode } from '@satchel/contract/entities';
import { ChevronDown, ShieldCheck } from 'lucide-react';
import { megabytes } from '../../lib/format.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Countdown, LifeRing, type Lifetime } from './countdown.tsx';
import { type FileCounts, factRows, ownerName } from './folder-facts.ts';

interface FactsProps {
  folder: FolderCompleteData;
  counts: FileCounts;
}

function Facts({ folder, counts }: FactsProps) {
  const owner = ownerName(folder);
  return (
    <dl className="grid gap-2.5 text-sm">
      <div className="flex items-center justify-between gap-4">
        <dt className="text-muted">Owner</dt>
        <dd className="inline-flex min-w-0 items-center gap-2">
          <Avatar name={owner} url={folder.owner_avatar_url} sizePx={20} />
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

interface Sight {
  readonly cannot: string;
  readonly can: string;
}

/** What the server can see, said for each link mode (DESIGN R1, CONTAINER §2). */
function sightOf(mode: LinkMode, hidesNames: boolean): Sight | null {
  if (mode === 'plain') return null;
  const names = hidesNames ? '' : ' and the names and types of the files';
  const can = `see how many files there are, how big they are and when they came, the folder’s own name${names}.`;
  const cannot = hidesNames
    ? 'open the files, read their names, or read a key after the # in a link.'
    : 'open the files, or read a key after the # in a link.';
  return { cannot, can };
}

function ServerNote({ folder }: { folder: FolderCompleteData }) {
  const sight = sightOf(folder.folder_link_mode, folder.hide_names);
  return (
    <details className="group/note mt-5 border-t border-line pt-4 text-sm">
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-chip text-muted hover:text-ink">
        <ShieldCheck size={16} strokeWidth={1.75} aria-hidden className={sight ? 'text-success' : 'text-subtle'} />
        What the server can see
        <ChevronDown size={15} aria-hidden className="ml-auto transition-transform group-open/note:rotate-180" />
      </summary>
      {sight ? (
        <ul className="mt-3 grid gap-2 text-xs text-muted">
          <li>
            <b className="font-medium text-ink">It can’t</b> {sight.cannot}
          </li>
          <li>
            <b className="font-medium text-ink">It can</b> {sight.can}
          </li>
        </ul>
      ) : (
        <p className="mt-3 text-xs text-muted">
          This folder is not encrypted. Our server and everyone with the link can read its files.
        </p>
      )}
    </details>
  );
}

interface FactsPanelProps extends FactsProps {
  lifetime: Lifetime;
}

/** The sidebar of wide screens. */
export function FactsPanel({ folder, counts, lifetime }: FactsPanelProps) {
  return (
    <aside aria-label="Folder details" className="h-full max-lg:hidden">
      <div className="card sticky top-20 p-5">
        <div className="mb-5 flex items-center gap-4 border-b border-line pb-5">
          <LifeRing lifetime={lifetime} sizePx={64} />
          <p>
            <span className="block text-xs text-muted">Expires in</span>
            <Countdown lifetime={lifetime} className="display text-lg" />
          </p>
        </div>
        <Facts folder={folder} counts={counts} />
        <ServerNote folder={folder} />
      </div>
    </aside>
  );
}

/** The same on narrow screens: one row that opens. */
export function FactsRow({ folder, counts, lifetime }: FactsPanelProps) {
  return (
    <aside aria-label="Folder details" className="lg:hidden">
      <details className="card group">
        <summary className="flex cursor-pointer list-none items-center gap-3.5 rounded-card p-3.5">
          <LifeRing lifetime={lifetime} sizePx={44} />
          <span className="flex-1">
            <span className="block text-xs text-muted">Expires in</span>
            <Countdown lifetime={lifetime} className="display text-base" />
          </span>
          <span className="text-right text-xs text-muted tabular">
            {counts.total > 0 && <span className="block text-ink">{counts.total} total</span>}
            {folder.folder_size_bytes > 0 && megabytes(folder.folder_size_bytes)}
          </span>
          <ChevronDown size={18} aria-hidden className="text-subtle transition-transform group-open:rotate-180" />
        </summary>
        <div className="border-t border-line p-4">
          <Facts folder={folder} counts={counts} />
          <ServerNote folder={folder} />
        </div>
      </details>
    </aside>
  );
}
