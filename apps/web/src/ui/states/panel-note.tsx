import { StitchFrame } from '../base/stitch.tsx';
import { Spot } from './spot.tsx';
import type { PanelStateProps } from './states.tsx';

/** A message of a panel that has something else, too: a row, where there is room. Apart from the states that first screens load. */
export const PanelNote = ({ pose, title, children, action }: PanelStateProps) => (
  <div className="relative flex flex-col items-center gap-x-6 gap-y-4 rounded-card p-5 text-center sm:flex-row sm:px-6 sm:text-left">
    <StitchFrame tone="line" />
    <Spot pose={pose} sizePx={72} />
    <div className="min-w-0 flex-1">
      <h2 className="display text-lg">{title}</h2>
      <p className="mt-1 text-sm text-muted">{children}</p>
    </div>
    {action}
  </div>
);
