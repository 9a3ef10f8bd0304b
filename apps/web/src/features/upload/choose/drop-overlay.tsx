import { Trans } from '@lingui/react/macro';
import { StitchFrame } from '../../../ui/base/stitch.tsx';
import { Spot } from '../../../ui/states/spot.tsx';

interface DropOverlayProps {
  /** Empty for a folder without a name. */
  folderName: string;
  /** Whether files are encrypted before they are sent. */
  sealed: boolean;
}

/** Covers the page while files are dragged over it. */
export const DropOverlay = ({ folderName, sealed }: DropOverlayProps) => (
  <div
    className="pointer-events-none fixed inset-0 z-40 grid place-items-center bg-canvas/95 motion-safe:animate-fade"
    aria-hidden="true"
  >
    <div className="absolute inset-4 rounded-panel bg-accent-soft/60">
      <StitchFrame active radiusPx={18} insetPx={6} />
    </div>
    <div className="relative px-8 text-center">
      <div className="flex justify-center">
        <Spot pose="empty" sizePx={190} />
      </div>
      <p className="display mt-5 text-3xl wrap-anywhere">
        {folderName === '' ? (
          <Trans>Drop to pack into the new folder</Trans>
        ) : (
          <Trans>Drop to pack into {folderName}</Trans>
        )}
      </p>
      {sealed && (
        <p className="mt-2 text-base text-muted">
          <Trans>Files are encrypted here, before they leave your browser.</Trans>
        </p>
      )}
    </div>
  </div>
);
