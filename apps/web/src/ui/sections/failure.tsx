import type { ReactNode } from 'react';
import { cx } from '../../lib/base/class-names.ts';

interface FailureProps {
  /** Null while nothing failed. */
  text: string | null;
  /** Said before the text. */
  notDone?: ReactNode;
  className?: string;
}

/** Why something was not done, spoken at once. */
export const Failure = ({ text, notDone, className }: FailureProps) =>
  text && (
    <p role="alert" className={cx('text-sm text-danger', className)}>
      {notDone} {text}
    </p>
  );
