import type { FileItem } from '../../engine/files/file-model.ts';
import type { FileStill } from '../../engine/files/stills/still-ref.ts';
import { useWantedStill } from './use-file-still.ts';

/** More would not fit beside each other on a phone. */
const SHOWN_MAX = 6;

function SmallStill({ still }: { still: FileStill }) {
  const src = useWantedStill(still, 'small');
  return (
    <span className="size-10 shrink-0 overflow-hidden rounded-chip bg-sunken">
      {src !== null && <img src={src} alt="" decoding="async" className="size-full object-cover" />}
    </span>
  );
}

/** What a folder holds, at a glance. It says nothing that the list of files doesn't say in words. */
export function StillRow({ files }: { files: readonly FileItem[] }) {
  const stills = files.flatMap(({ still }) => (still?.ref ? [still] : [])).slice(0, SHOWN_MAX);
  if (stills.length === 0) return null;
  return (
    <div className="mb-5 flex gap-2" aria-hidden="true">
      {stills.map((still) => (
        <SmallStill key={still.ref?.key} still={still} />
      ))}
    </div>
  );
}
