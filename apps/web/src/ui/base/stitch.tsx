import type { ReactNode } from 'react';

export type StitchTone = 'accent' | 'success' | 'info' | 'warning' | 'danger' | 'subtle';

/** Fills use `accent`; lines and bars that carry meaning use `graph`, which keeps 3:1 on light paper, too. */
export const stitchColour = (tone: string) => `var(--${tone === 'accent' ? 'graph' : tone})`;

const STITCHES = 24;
const RADIUS = 44;

function arcOf(stitch: number): string {
  const point = (degrees: number) => {
    const angle = ((degrees - 90) * Math.PI) / 180;
    return `${(50 + RADIUS * Math.cos(angle)).toFixed(2)} ${(50 + RADIUS * Math.sin(angle)).toFixed(2)}`;
  };
  // 15 degrees a stitch: 3.6 of gap, 4.2 of round cap at each end, the rest is the arc itself.
  return `M${point(stitch * 15 + 6)}A${RADIUS} ${RADIUS} 0 0 1 ${point(stitch * 15 + 9)}`;
}
const ARCS = Array.from({ length: STITCHES }, (_, stitch) => ({ stitch, path: arcOf(stitch) }));

const HOUR_MS = 3_600_000;

/** The ring's colour by the time left: under 3 hours a warning, under 1 hour danger. */
export function lifeTone(leftMs: number): 'accent' | 'warning' | 'danger' | 'subtle' {
  if (leftMs <= 0) return 'subtle';
  if (leftMs < HOUR_MS) return 'danger';
  return leftMs < 3 * HOUR_MS ? 'warning' : 'accent';
}

interface StitchRingProps {
  /** Remaining part of the folder's life, 0 to 1. */
  fraction: number;
  sizePx?: number;
  tone?: StitchTone;
  children?: ReactNode;
}

/** 24 stitches, one per twenty-fourth of the folder's life (an hour for a 24-hour folder). */
export function StitchRing({ fraction, sizePx = 56, tone = 'accent', children }: StitchRingProps) {
  const lit = Math.max(0, Math.min(1, fraction)) * STITCHES;
  return (
    <span className="relative inline-grid shrink-0 place-items-center" style={{ width: sizePx, height: sizePx }}>
      <svg viewBox="0 0 100 100" width={sizePx} height={sizePx} aria-hidden="true" className="col-start-1 row-start-1">
        {ARCS.map(({ stitch, path }) => {
          // Time runs out clockwise: the stitches already spent are the first ones.
          const left = lit - (STITCHES - 1 - stitch);
          return (
            <path
              key={stitch}
              d={path}
              fill="none"
              strokeWidth="6.4"
              strokeLinecap="round"
              stroke={left <= 0 ? 'var(--line)' : stitchColour(tone)}
              strokeOpacity={left > 0 && left < 1 ? 0.35 + left * 0.5 : 1}
            />
          );
        })}
      </svg>
      {children && <span className="col-start-1 row-start-1">{children}</span>}
    </span>
  );
}

interface StitchFrameProps {
  /** Sews the outline, while a drag is over it. */
  active?: boolean;
  radiusPx?: number;
  tone?: 'edge' | 'line' | 'stitch';
  insetPx?: number;
}

/** The dashed outline of a drop target or an empty place; stretches over its positioned parent. */
export function StitchFrame({ active = false, radiusPx = 14, tone = 'edge', insetPx = 1 }: StitchFrameProps) {
  const length = `calc(100% - ${insetPx * 2}px)`;
  return (
    <svg className="pointer-events-none absolute inset-0 size-full" aria-hidden="true">
      <rect
        x={insetPx}
        y={insetPx}
        rx={radiusPx}
        fill="none"
        stroke={active ? stitchColour('accent') : `var(--${tone})`}
        strokeWidth={active ? 2.5 : 1.75}
        strokeLinecap="round"
        strokeDasharray={active ? '8 7' : '6 7'}
        style={{ width: length, height: length }}
        className={active ? 'motion-safe:animate-sew' : 'transition-[stroke] duration-150'}
      />
    </svg>
  );
}
