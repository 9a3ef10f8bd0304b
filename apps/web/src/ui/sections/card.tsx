import { type ReactNode, useId } from 'react';
import { cx } from '../../lib/base/class-names.ts';

interface CardProps {
  title: ReactNode;
  /** Id of a heading that takes the focus when what had it is removed from the card. */
  headingId?: string;
  className?: string;
  children: ReactNode;
}

/** A section with its heading. */
export function Card({ title, headingId, className = 'p-5 sm:p-6', children }: CardProps) {
  const id = useId();
  return (
    <section aria-labelledby={headingId ?? id} className={cx('card', className)}>
      <h2
        id={headingId ?? id}
        tabIndex={headingId === undefined ? undefined : -1}
        className="text-base font-semibold focus-visible:outline-none"
      >
        {title}
      </h2>
      {children}
    </section>
  );
}
