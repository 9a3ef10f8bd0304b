import { useId } from 'react';

export type SpotPose = 'empty' | 'expired' | 'missing' | 'error' | 'locked' | 'closed';

const Papers = () => (
  <g strokeWidth="2" strokeLinejoin="round">
    <rect
      x="46"
      y="16"
      width="26"
      height="34"
      rx="4"
      transform="rotate(-9 59 33)"
      fill="var(--info-soft)"
      stroke="var(--info)"
    />
    <rect
      x="70"
      y="12"
      width="26"
      height="36"
      rx="4"
      transform="rotate(8 83 30)"
      fill="var(--accent-soft)"
      stroke="var(--accent)"
    />
    <path d="m74 38 6-8 5 6 3-3 5 8" transform="rotate(8 83 30)" stroke="var(--accent)" />
  </g>
);

const Seam = () => (
  <path
    d="M30 54c10 8 26 10 40 10s30-2 40-10"
    stroke="var(--stitch)"
    strokeWidth="2"
    strokeDasharray="4 5"
    strokeLinecap="round"
  />
);

const Flap = ({ broken }: { broken: boolean }) => (
  <>
    <path
      d="M28 60a18 18 0 0 1 18-18h48a18 18 0 0 1 18 18v3c0 5-3 9-8 11l-22 8a36 36 0 0 1-24 0l-22-8c-5-2-8-6-8-11Z"
      fill="var(--accent)"
    />
    <path
      d="M34 62c0 3 2 6 5 7l21 7.5a30 30 0 0 0 20 0L101 69c3-1 5-4 5-7"
      stroke="var(--accent-ink)"
      strokeOpacity=".45"
      strokeWidth="1.6"
      strokeDasharray="4 4"
      strokeLinecap="round"
    />
    {broken ? (
      <path d="M63 56l14 14m0-14L63 70" stroke="var(--accent-ink)" strokeWidth="4" strokeLinecap="round" />
    ) : (
      <path
        d="M70 52a8 8 0 0 1 4 14.9l2 9.6a2.4 2.4 0 0 1-2.4 3h-7.2a2.4 2.4 0 0 1-2.4-3l2-9.6A8 8 0 0 1 70 52Z"
        fill="var(--accent-ink)"
      />
    )}
  </>
);

const Clock = () => (
  <>
    <path
      d="M28 60c0-4 1-7 3-10l-13-7c-4-2-4-8 0-10l6-3"
      stroke="var(--stitch)"
      strokeWidth="2"
      strokeLinecap="round"
    />
    <path
      d="M36 58c8 7 22 9 34 9s26-2 34-9"
      stroke="var(--edge)"
      strokeWidth="2"
      strokeDasharray="4 5"
      strokeLinecap="round"
    />
    <circle cx="70" cy="88" r="11" fill="var(--surface)" stroke="var(--edge)" strokeWidth="2" />
    <path d="M70 82v6l4 3" stroke="var(--muted)" strokeWidth="2" strokeLinecap="round" />
  </>
);

const Question = () => (
  <path
    d="M64 70c0-4 3-6 6-6s6 2 6 6c0 5-6 5-6 10m0 6v.2"
    stroke="var(--accent)"
    strokeWidth="3"
    strokeLinecap="round"
  />
);

/** What a spot shows, within a box of 140 × 120. */
export function SpotDrawing({ pose }: { pose: SpotPose }) {
  const clipId = useId();
  const dashed = pose === 'missing';
  const body = {
    stroke: 'var(--stitch)',
    strokeWidth: 2,
    strokeDasharray: dashed ? '5 5' : undefined,
    strokeLinecap: 'round' as const,
  };
  const closed = pose === 'locked' || pose === 'closed' || pose === 'error';
  return (
    <>
      <ellipse cx="70" cy="110" rx="46" ry="5" fill="var(--sunken)" />
      <clipPath id={clipId}>
        <rect x="0" y="0" width="140" height="52" />
      </clipPath>
      {pose === 'empty' ? (
        <Papers />
      ) : (
        <path d="M50 42v-6a20 20 0 0 1 40 0v6" {...body} strokeWidth={dashed ? 2 : 5} clipPath={`url(#${clipId})`} />
      )}
      <rect x="28" y="42" width="84" height="66" rx="18" {...body} fill={dashed ? 'none' : 'var(--raised)'} />
      {pose === 'empty' && <Seam />}
      {closed && <Flap broken={pose === 'error'} />}
      {pose === 'expired' && <Clock />}
      {dashed && <Question />}
    </>
  );
}
