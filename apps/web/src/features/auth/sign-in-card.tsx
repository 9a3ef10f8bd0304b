import type { ReactNode } from 'react';
import { Mark } from '../../ui/mark.tsx';
import { StitchFrame } from '../../ui/stitch.tsx';

/** The card that both faces of /auth are on. */
export const SignInCard = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="card relative p-7 text-center sm:p-9">
    <StitchFrame tone="line" insetPx={8} radiusPx={9} />
    <div className="relative">
      <Mark sizePx={56} className="mx-auto" />
      <h1 className="display mt-5 text-2xl">{title}</h1>
      {children}
    </div>
  </div>
);
