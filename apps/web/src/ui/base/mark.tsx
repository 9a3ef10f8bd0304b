interface MarkProps {
  sizePx?: number;
  className?: string;
}

/**
 * The brand mark: a satchel whose clasp is a keyhole. Two tones of leather; the keyhole takes the page's colour. It is drawn in
 * index.html, whose first paint shows it before there is a script.
 */
export const Mark = ({ sizePx = 28, className }: MarkProps) => (
  <svg width={sizePx} height={sizePx} className={className} aria-hidden="true">
    <use href="#mark" />
  </svg>
);

export const Wordmark = () => (
  <span className="inline-flex items-center gap-2">
    <Mark sizePx={26} />
    <span className="display text-lg leading-none text-ink">Satchel</span>
  </span>
);
