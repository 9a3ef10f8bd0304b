import { useLingui } from '@lingui/react/macro';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../../ui/base/button.tsx';

interface MoveButtonProps {
  go: (step: number) => void;
  className?: string;
}

function PreviousButton({ go, className }: MoveButtonProps) {
  const { t } = useLingui();
  return (
    <IconButton label={t`Previous file`} size="lg" tone="quiet" onClick={() => go(-1)} className={className}>
      <ChevronLeft size={20} aria-hidden />
    </IconButton>
  );
}

function NextButton({ go, className }: MoveButtonProps) {
  const { t } = useLingui();
  return (
    <IconButton label={t`Next file`} size="lg" tone="quiet" onClick={() => go(1)} className={className}>
      <ChevronRight size={20} aria-hidden />
    </IconButton>
  );
}

const BESIDE = 'absolute! top-1/2 -mt-5.5 rounded-full';

/** Over the sides of the content. */
export const MoveButtons = ({ go }: MoveButtonProps) => (
  <>
    <PreviousButton go={go} className={`${BESIDE} left-3`} />
    <NextButton go={go} className={`${BESIDE} right-3`} />
  </>
);

/** On a phone, below the content: a thumb reaches them there, and they hide nothing. */
export const MoveBar = ({ go, children }: MoveButtonProps & { children: ReactNode }) => (
  <div className="flex min-h-11 items-center justify-between gap-2 px-3 pt-2">
    <PreviousButton go={go} />
    {children}
    <NextButton go={go} />
  </div>
);
