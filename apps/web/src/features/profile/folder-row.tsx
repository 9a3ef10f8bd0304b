import type { Folder } from '@satchel/contract/entities';
import { Link } from '@tanstack/react-router';
import { Globe, KeyRound, Lock } from 'lucide-react';
import { countdown, countdownSpoken, megabytes, plural } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { Badge } from '../../ui/badge.tsx';
import { lifeTone, StitchRing } from '../../ui/stitch.tsx';

const TONES = { subtle: 'text-subtle', danger: 'text-danger', warning: 'text-warning', accent: 'text-muted' } as const;

/** A plain folder reads 'Public', an encrypted one 'Private' (DESIGN R14). */
function VisibilityBadge({ folder }: { folder: Folder }) {
  const open = folder.link_mode === 'plain';
  const Icon = open ? Globe : Lock;
  return (
    <Badge className="max-sm:hidden" icon={<Icon size={13} aria-hidden />}>
      {open ? 'Public' : 'Private'}
    </Badge>
  );
}

interface FolderRowProps {
  folder: Folder;
  /** Fragment of its link; empty when this device has none, undefined while that is not known. */
  fragment: string | undefined;
}

export function FolderRow({ folder, fragment }: FolderRowProps) {
  const expiresMs = Date.parse(folder.expires_at);
  const leftMs = expiresMs - useNow();
  const gone = leftMs <= 0;
  const tone = lifeTone(leftMs);
  const keyless = !gone && folder.link_mode !== 'plain' && fragment === '';
  return (
    <li className="relative flex items-center gap-4 px-4 py-3.5 transition-colors first:rounded-t-card last:rounded-b-card hover:bg-raised/60 sm:px-5">
      <StitchRing sizePx={44} fraction={leftMs / (expiresMs - Date.parse(folder.created_at))} tone={tone} />
      <div className="min-w-0 flex-1">
        <Link
          to="/f/$slug"
          params={{ slug: folder.slug }}
          hash={fragment?.replace(/^#/, '') ?? ''}
          className="text-sm font-medium wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-control focus-visible:after:outline-2 focus-visible:after:outline-focus"
        >
          {folder.name || folder.slug}
        </Link>
        <p className="truncate text-xs text-muted tabular">
          {plural(folder.file_count, 'file')} · {megabytes(folder.size_bytes)}
        </p>
      </div>
      {keyless && (
        <Badge tone="warning" className="max-md:hidden" icon={<KeyRound size={13} aria-hidden />}>
          No Key here
        </Badge>
      )}
      <VisibilityBadge folder={folder} />
      <p className={`w-24 shrink-0 text-right text-xs tabular sm:w-28 ${TONES[tone]}`}>
        <span aria-hidden={!gone}>{gone ? 'Expired' : countdown(leftMs)}</span>
        {!gone && <span className="sr-only">{countdownSpoken(leftMs)} left</span>}
      </p>
    </li>
  );
}
