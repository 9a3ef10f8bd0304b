import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { joinPath } from '@satchel/contract/files/path-parts';
import { History, Play, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { UnfinishedUpload } from '../../../engine/uploads/log/unfinished-uploads.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { Button, IconButton } from '../../../ui/base/button.tsx';
import type { UploadQueue } from '../use-folder-uploads.ts';
import { CancelQuestion } from './cancel-question.tsx';

function Progress({ percent }: { percent: number | null }) {
  if (percent === null) return <Trans>started</Trans>;
  return percent === 0 ? <Trans>nothing sent yet</Trans> : <Trans>{percent}% uploaded</Trans>;
}

interface BegunProps {
  upload: UnfinishedUpload;
  /** Null when only the person can find the file. */
  onResume: ((id: string) => void) | null;
  onDiscard: (id: string) => void;
}

function Begun({ upload, onResume, onDiscard }: BegunProps) {
  const { t } = useLingui();
  const nameId = useId();
  const [isAsking, setAsking] = useState(false);
  const discard = () => onDiscard(upload.id);
  return (
    <li className="flex items-center gap-3 py-1">
      <div className="min-w-0 flex-1">
        <p id={nameId} className="truncate text-sm font-medium">
          {upload.name === null ? <Trans>A file with a hidden name</Trans> : joinPath(upload.directory, upload.name)}
        </p>
        <p className="text-xs text-muted tabular">
          {bytes(upload.sizeBytes)} · <Progress percent={upload.percent} />
        </p>
      </div>
      {onResume && (
        <Button size="sm" aria-describedby={nameId} onClick={() => onResume(upload.id)}>
          <Play size={14} aria-hidden />
          <Trans>Resume</Trans>
        </Button>
      )}
      <IconButton
        label={t`Discard`}
        size="sm"
        aria-describedby={nameId}
        onClick={upload.percent === 0 ? discard : () => setAsking(true)}
      >
        <X size={16} aria-hidden />
      </IconButton>
      {isAsking && <CancelQuestion onClose={() => setAsking(false)} onConfirm={discard} />}
    </li>
  );
}

function NotBegun({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <details className="mt-1 text-sm">
      <summary className="w-fit cursor-pointer rounded-chip py-1 text-muted hover:text-ink">
        <Plural value={names.length} one="# file had not begun" other="# files had not begun" />
      </summary>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        tabIndex={0}
        className="mt-1 grid gap-0.5 rounded-chip text-xs text-muted sm:max-h-48 sm:overflow-y-auto"
      >
        {names.map((name, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and rows never change places
          <li key={`${place} ${name}`} className="truncate">
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface UnfinishedListProps {
  unfinished: UploadQueue['unfinished'];
  onPickFiles: () => void;
}

/** @param toChoose uploads whose file only the person can find */
function howToGoOn(count: number, toChoose: number): ReactNode {
  if (toChoose === 0)
    return (
      <Plural
        value={count}
        one="Resume it, and it continues where it stopped."
        other="Resume them, and they continue where they stopped."
      />
    );
  if (toChoose < count)
    return (
      <Trans>
        Resume the uploads that have a Resume button, and choose the other files again. They all continue where they
        stopped.
      </Trans>
    );
  return (
    <Plural
      value={count}
      one="Choose this file again, and it continues where it stopped."
      other="Choose these files again, and they continue where they stopped."
    />
  );
}

/** After a reload during uploads: lists the files to choose again, since the browser does not return their bytes. */
export function UnfinishedList({ unfinished, onPickFiles }: UnfinishedListProps) {
  const { t } = useLingui();
  const { uploads, findable, notBegun, elsewhere } = unfinished.work;
  const count = uploads.length + notBegun.length;
  const toChoose = count - findable.length;
  const [isAsking, setAsking] = useState(false);
  const losesWork = uploads.some(({ percent }) => percent !== 0);
  return (
    <>
      {elsewhere > 0 && (
        <p className="rounded-card bg-info-soft px-4 py-3 text-sm text-ink">
          <Plural
            value={elsewhere}
            one="Another tab is uploading # file to this folder. It appears here when it is done."
            other="Another tab is uploading # files to this folder. They appear here when they are done."
          />
        </p>
      )}
      {isAsking && (
        <CancelQuestion count={uploads.length} onClose={() => setAsking(false)} onConfirm={unfinished.discardAll} />
      )}
      {count > 0 && (
        <section aria-label={t`Unfinished uploads`} className="rounded-card bg-warning-soft px-4 py-4 sm:px-5">
          <div className="flex items-start gap-3">
            <History size={20} aria-hidden className="mt-0.5 shrink-0 text-warning" />
            <div className="min-w-0 flex-1">
              <h2 className="text-base font-semibold">
                <Plural value={count} one="# upload was not finished" other="# uploads were not finished" />
              </h2>
              <p className="mt-0.5 text-sm text-muted">{howToGoOn(count, toChoose)}</p>
              <ul className="mt-2 divide-y divide-line">
                {uploads.map((upload) => (
                  <Begun
                    key={upload.id}
                    upload={upload}
                    onResume={findable.includes(upload.id) ? unfinished.resume : null}
                    onDiscard={unfinished.discard}
                  />
                ))}
              </ul>
              <NotBegun names={notBegun} />
              <div className="mt-3 flex flex-wrap gap-2.5 empty:hidden">
                {findable.length > 1 && (
                  <Button onClick={unfinished.resumeAll}>
                    <Trans>Resume All</Trans>
                  </Button>
                )}
                {toChoose > 0 && (
                  <Button onClick={onPickFiles}>
                    <Plural value={toChoose} one="Choose the File Again" other="Choose the Files Again" />
                  </Button>
                )}
                {/* One that had begun has its own button. */}
                {(count > 1 || uploads.length === 0) && (
                  <Button tone="ghost" onClick={losesWork ? () => setAsking(true) : unfinished.discardAll}>
                    <Trans>Discard All</Trans>
                  </Button>
                )}
              </div>
            </div>
          </div>
        </section>
      )}
    </>
  );
}
