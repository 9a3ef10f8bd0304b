import { Plural, useLingui } from '@lingui/react/macro';
import type { RejectedFile, SkippedFiles } from '@satchel/client/send/list/queue';
import { CircleAlert, Info, X } from 'lucide-react';
import { cx } from '../../../lib/base/class-names.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { namesOf, unreadableText } from '../upload-texts.ts';

/** A directory with thousands of files may be refused: listing every name is useless and slow. */
const LISTED_MAX = 20;

function Rejected({ rejected }: { rejected: readonly RejectedFile[] }) {
  if (rejected.length === 0) return null;
  const unlisted = rejected.length - LISTED_MAX;
  return (
    <>
      <p className="font-medium text-danger">
        <Plural value={rejected.length} one="# file was not added" other="# files were not added" />
      </p>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
        tabIndex={0}
        className="mt-1 grid gap-0.5 rounded-chip text-xs text-ink sm:max-h-40 sm:overflow-y-auto"
      >
        {rejected.slice(0, LISTED_MAX).map(({ name, error }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one name can be refused twice, and rows never change places
          <li key={`${place} ${name}`} className="wrap-anywhere">
            <b className="font-medium">{name}</b>: {errorText(error)}
          </li>
        ))}
        {unlisted > 0 && (
          <li>
            <Plural value={unlisted} one="and # more" other="and # more" />
          </li>
        )}
      </ul>
    </>
  );
}

function Skipped({ skipped }: { skipped: SkippedFiles }) {
  const { leftOut, unreadable, repeated, there, numbered } = skipped;
  const [systemNames, repeatedNames, thereNames] = [namesOf(leftOut), namesOf(repeated), namesOf(there)];
  const numberedNames = namesOf(numbered);
  return (
    <>
      {unreadable.length > 0 && <p className="wrap-anywhere text-danger">{unreadableText(unreadable)}</p>}
      {leftOut.length > 0 && (
        <p className="wrap-anywhere">
          <Plural
            value={leftOut.length}
            one={`# system file left out: ${systemNames}`}
            other={`# system files left out: ${systemNames}`}
          />
        </p>
      )}
      {there.length > 0 && (
        <p className="wrap-anywhere">
          <Plural
            value={there.length}
            one={`# file is already there, with the same content: ${thereNames}`}
            other={`# files are already there, with the same content: ${thereNames}`}
          />
        </p>
      )}
      {numbered.length > 0 && (
        <p className="wrap-anywhere">
          <Plural
            value={numbered.length}
            one={`# file has the name of another one on the list, and got a number: ${numberedNames}`}
            other={`# files have names of others on the list, and got numbers: ${numberedNames}`}
          />
        </p>
      )}
      {repeated.length > 0 && (
        <p className="wrap-anywhere">
          <Plural
            value={repeated.length}
            one={`# file is on the list already: ${repeatedNames}`}
            other={`# files are on the list already: ${repeatedNames}`}
          />
        </p>
      )}
    </>
  );
}

interface NotTakenProps {
  rejected: readonly RejectedFile[];
  skipped: SkippedFiles;
  onDismiss: () => void;
}

/** Refused files with the reasons, so that they don't disappear silently. */
export function NotTaken({ rejected, skipped, onDismiss }: NotTakenProps) {
  const { t } = useLingui();
  const isBad = rejected.length + skipped.unreadable.length > 0;
  if (!isBad && Object.values(skipped).every((names) => names.length === 0)) return null;
  const isOnlyNumbered = [...rejected, ...Object.values(skipped).flat()].length === skipped.numbered.length;
  const Icon = isBad ? CircleAlert : Info;
  return (
    <section
      aria-label={isOnlyNumbered ? t`Files with new names` : t`Files that were not added`}
      className={cx('flex items-start gap-3 rounded-card py-1.5 pr-2 pl-4', isBad ? 'bg-danger-soft' : 'bg-raised')}
    >
      <Icon size={18} aria-hidden className={cx('mt-2 shrink-0', isBad ? 'text-danger' : 'text-muted')} />
      <div className="min-w-0 flex-1 py-2 text-sm">
        <Rejected rejected={rejected} />
        <div className={cx('grid gap-0.5', rejected.length > 0 ? 'mt-1.5 text-xs text-ink' : 'text-muted')}>
          <Skipped skipped={skipped} />
        </div>
      </div>
      <IconButton label={t`Dismiss`} size="sm" onClick={onDismiss}>
        <X size={16} aria-hidden />
      </IconButton>
    </section>
  );
}
