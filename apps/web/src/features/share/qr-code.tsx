import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { qrPath } from './qr-path.ts';

interface QrCodeProps {
  url: string;
  /** The link includes the key. */
  hasKey: boolean;
}

/**
 * The link for a phone's camera. Dark modules on a light card in both themes and in forced colours: many cameras can't read an inverted code. The card
 * is a drawn shape, because forced colours remove backgrounds.
 */
export function QrCode({ url, hasKey }: QrCodeProps) {
  const { t } = useLingui();
  const { path, size } = useMemo(() => qrPath(url), [url]);
  return (
    <>
      <svg
        role="img"
        aria-label={hasKey ? t`QR code of the link, with the key` : t`QR code of the link`}
        viewBox={`0 0 ${size} ${size}`}
        className="mx-auto size-44 rounded-control [forced-color-adjust:none]"
        shapeRendering="crispEdges"
      >
        <rect width={size} height={size} fill="oklch(0.99 0.004 80)" />
        <path d={path} fill="oklch(0.2 0.03 55)" />
      </svg>
      <p className="mt-2 text-center text-xs text-muted">
        <Trans>Scan to open on a phone</Trans>
      </p>
    </>
  );
}
