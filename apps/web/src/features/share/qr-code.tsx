import { useMemo } from 'react';
import { qrPath } from './qr-path.ts';

interface QrCodeProps {
  text: string;
  /** Label for screen readers. */
  label: string;
}

/**
 * Dark modules on a light card in both themes and in forced colours: many cameras can't read an inverted code. The card
 * is a drawn shape, because forced colours remove backgrounds.
 */
export function QrCode({ text, label }: QrCodeProps) {
  const { path, size } = useMemo(() => qrPath(text), [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className="mx-auto size-44 rounded-control [forced-color-adjust:none]"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="oklch(0.99 0.004 80)" />
      <path d={path} fill="oklch(0.2 0.03 55)" />
    </svg>
  );
}
