import { type StitchTone, stitchColour } from '../base/stitch.tsx';

interface StitchBarProps {
  /** Percent, 0 to 100. */
  value: number;
  label: string;
  tone?: StitchTone;
  thick?: boolean;
  className?: string;
}

/**
 * Progress that is sewn from left to right. A new value is drawn once: between values that come four times a second, a
 * transition would repaint the bar sixty times a second for as long as the transfer takes.
 */
export function StitchBar({ value, label, tone = 'accent', thick = false, className }: StitchBarProps) {
  const heightPx = thick ? 10 : 6;
  const strokeWidth = thick ? 5 : 3;
  const percent = Math.max(0, Math.min(100, value));
  const line = {
    x1: strokeWidth / 2 + 1,
    y1: heightPx / 2,
    x2: '100%',
    y2: heightPx / 2,
    strokeWidth,
    strokeLinecap: 'round' as const,
    strokeDasharray: thick ? '10 9' : '6 6',
  };
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      className={className}
    >
      <svg width="100%" height={heightPx} className="block overflow-visible" aria-hidden="true">
        <line {...line} stroke="var(--line)" />
        <line {...line} stroke={stitchColour(tone)} style={{ clipPath: `inset(-4px ${100 - percent}% -4px -4px)` }} />
      </svg>
    </div>
  );
}
