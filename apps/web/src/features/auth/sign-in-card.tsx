import type { ReactNode } from 'react';
import { Mark } from '../../ui/base/mark.tsx';
import { StitchFrame } from '../../ui/base/stitch.tsx';

/** The card around both views of /auth. */
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
