interface MarkProps {
  sizePx?: number;
  className?: string;
}

/** The brand mark: a satchel whose clasp is a keyhole. Two tones of leather; the keyhole takes the page's colour. */
export const Mark = ({ sizePx = 28, className }: MarkProps) => (
  <svg viewBox="0 0 32 32" width={sizePx} height={sizePx} className={className} aria-hidden="true" fill="none">
    <path d="M11 10V8.2a5 5 0 0 1 10 0V10" stroke="var(--stitch)" strokeWidth="2.8" strokeLinecap="round" />
    <rect x="3" y="9" width="26" height="20" rx="6" fill="var(--stitch)" />
    <path
      d="M3 15a6 6 0 0 1 6-6h14a6 6 0 0 1 6 6v1.2c0 1.7-1.1 3.2-2.7 3.8l-6.6 2.4a11 11 0 0 1-7.4 0L5.7 20A4 4 0 0 1 3 16.2Z"
      fill="var(--accent)"
    />
    <path
      d="M16 13.6a2.9 2.9 0 0 1 1.45 5.4l.75 3.5a.9.9 0 0 1-.88 1.1h-2.64a.9.9 0 0 1-.88-1.1l.75-3.5A2.9 2.9 0 0 1 16 13.6Z"
      fill="var(--accent-ink)"
    />
  </svg>
);

export const Wordmark = () => (
  <span className="inline-flex items-center gap-2">
    <Mark sizePx={26} />
    <span className="display text-lg leading-none text-ink">Satchel</span>
  </span>
);
