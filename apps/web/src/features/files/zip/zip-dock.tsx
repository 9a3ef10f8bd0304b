import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { CircleAlert, X } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import type { ZipState } from '../../../engine/zip/zip-state.ts';
import { zipStore } from '../../../engine/zip/zip-store.ts';
import { useStore } from '../../../lib/base/page-hooks.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';
import { endZip } from './zip-run.ts';

/** Progress of the zip: the current file on the first line, the amount on the second. */
function Progress({ zip }: { zip: ZipState }) {
  const { t } = useLingui();
  const { name, files, index, deliveredBytes, bytesPerSecond, percent, decrypts, leftOut, isWaiting } = zip;
  const at = Math.min(index + 1, files.length);
  const total = files.length;
  const size = bytes(deliveredBytes);
  const speed = bytesPerSecond === null ? null : bytes(Math.round(bytesPerSecond));
  return (
    <>
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium">
            <Trans>Packing {name}</Trans>
          </p>
          <p className="text-xs text-muted tabular">
            {decrypts ? (
              <Trans>
                Decrypting {at} of {total} · {size} saved
              </Trans>
            ) : (
              <Trans>
                File {at} of {total} · {size} saved
              </Trans>
            )}
            {speed !== null && <> · {t`${speed} per second`}</>}
          </p>
          <p role="status" className="text-xs text-warning empty:hidden">
            {isWaiting && <Trans>Waiting for the server. The zip then continues where it stopped.</Trans>}
          </p>
          {leftOut > 0 && (
            <p className="text-xs text-muted">
              <Plural
                value={leftOut}
                one="# file is left out: it is not from this folder."
                other="# files are left out: they are not from this folder."
              />
            </p>
          )}
        </div>
        <IconButton label={t`Cancel`} onClick={endZip}>
          <X size={17} aria-hidden />
        </IconButton>
      </div>
      <StitchBar value={percent} label={t`Packing progress`} className="mt-3" />
    </>
  );
}

function Failure({ zip }: { zip: ZipState }) {
  const { t } = useLingui();
  const file = zip.files[zip.index]?.name ?? '';
  return (
    <div role="alert" className="flex items-start gap-3">
      <CircleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium wrap-anywhere">
          <Trans>{zip.name} was not saved</Trans>
        </p>
        <p className="text-xs text-muted wrap-anywhere">
          {zip.error && errorText(zip.error)}
          {file !== '' && (
            <>
              {' '}
              <Trans>The zip failed at {file}. Leave that file out, or try again.</Trans>
            </>
          )}
        </p>
      </div>
      <IconButton label={t`Close`} onClick={endZip}>
        <X size={17} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Cancel had the focus: on removal, focus returns to the button that started the zip. */
function useFocusAfterwards() {
  const dock = useRef<HTMLElement>(null);
  // A layout effect's cleanup runs while the dock is still on the page.
  useLayoutEffect(() => {
    const element = dock.current;
    return () => {
      if (element?.contains(document.activeElement)) document.querySelector<HTMLElement>('[data-zip-start]')?.focus();
    };
  }, []);
  return dock;
}

function Dock({ zip }: { zip: ZipState }) {
  const { t } = useLingui();
  const dock = useFocusAfterwards();
  return (
    <section ref={dock} aria-label={t`Download as zip`} className="card p-4 shadow-dialog motion-safe:animate-rise">
      {zip.status === 'packing' ? <Progress zip={zip} /> : <Failure zip={zip} />}
    </section>
  );
}

/** In the dock at the foot of the window: the zip that is being saved. */
export function ZipDock() {
  const zip = useStore(zipStore);
  return zip && <Dock zip={zip} />;
}
