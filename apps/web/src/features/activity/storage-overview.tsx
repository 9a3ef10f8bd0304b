import { bytes } from '../../lib/format.ts';
import { useOwnFolders, useOwnProfile } from '../../lib/own-account.ts';
import { settings } from '../../lib/settings.ts';
import { Dots } from '../../ui/button.tsx';

function Meter({ usedBytes, totalBytes }: { usedBytes: number; totalBytes: number }) {
  const percent = Math.min(100, (usedBytes / totalBytes) * 100);
  const text = `${bytes(usedBytes)} of ${bytes(totalBytes)}`;
  return (
    <>
      <p className="mt-3 flex items-baseline justify-between gap-4 text-sm text-muted tabular">
        <span>
          <b className="display text-2xl text-ink">{bytes(usedBytes)}</b> of {bytes(totalBytes)}
        </span>
        <span className="font-medium text-ink">{percent.toFixed(1)}%</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: the browser's own meter can't be drawn in our colours everywhere */}
      <div
        role="meter"
        aria-label="Storage used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={text}
        className="mt-4 h-3 overflow-hidden rounded-full bg-raised"
      >
        <span className="block h-full rounded-full bg-graph" style={{ width: `${percent}%` }} />
      </div>
    </>
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Storage Overview (§2 "Info tab"): the owner's account, in real figures (DESIGN R7). */
export function StorageOverview({ userId }: { userId: string }) {
  const profile = useOwnProfile(userId);
  const folders = useOwnFolders(userId);
  const counts = [
    ['Folders', folders.data?.length],
    ['Files', folders.data && sum(folders.data.map(({ file_count }) => file_count))],
  ] as const;
  return (
    <section aria-labelledby="storage-overview" className="card p-5">
      <h2 id="storage-overview" className="text-base font-semibold">
        Storage Overview
      </h2>
      {profile.data && <Meter usedBytes={profile.data.used_bytes} totalBytes={settings.free_storage_bytes} />}
      {profile.isPending && (
        <div className="mt-4 text-subtle">
          <Dots label="Loading storage" />
        </div>
      )}
      {profile.isError && !profile.data && <p className="mt-3 text-sm text-danger">{profile.error.message}</p>}
      <dl className="mt-5 grid grid-cols-2 gap-4 border-t border-line pt-4 text-sm">
        {counts.map(([name, count]) => (
          <div key={name} className="flex items-baseline justify-between">
            <dt className="text-muted">{name}</dt>
            <dd className="font-medium tabular">{count ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
