import { useLingui } from '@lingui/react/macro';
import { CircleHelp } from 'lucide-react';
import { type ToggleEvent, useId, useState } from 'react';
import { IconButton } from '../../ui/base/button.tsx';
import { KeyBadge, KeyHelp, type KeyState } from '../../ui/states/badge.tsx';

const STATES: readonly KeyState[] = ['cached', 'api', 'none'];

/** Explains the badges in a native popover: top layer, Escape, light dismiss and focus return need no script. */
export function BadgeLegend() {
  const { t } = useLingui();
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton size="sm" label={t`What the badges mean`} popoverTarget={id}>
        <CircleHelp size={17} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <div
        id={id}
        popover="auto"
        role="note"
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => setOpen(event.newState === 'open')}
        className="anchored w-80 max-w-[calc(100vw-24px)] rounded-card bg-surface p-4 text-ink shadow-pop"
      >
        {open && (
          <dl className="grid grid-cols-[max-content_1fr] gap-3.5">
            {STATES.map((state) => (
              <div key={state} className="col-span-2 grid grid-cols-subgrid">
                <dt>
                  <KeyBadge state={state} />
                </dt>
                <dd className="text-xs text-muted">
                  <KeyHelp state={state} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </>
  );
}
