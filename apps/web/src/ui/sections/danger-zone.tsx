import { Trans } from '@lingui/react/macro';
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button } from '../base/button.tsx';

interface DangerZoneProps {
  /** What the act deletes. */
  children: ReactNode;
  Icon: LucideIcon;
  act: ReactNode;
  onAct: () => void;
}

/** The last section of a page: an act that deletes for good. */
export function DangerZone({ children, Icon, act, onAct }: DangerZoneProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="rounded-card bg-surface p-5 shadow-[0_0_0_1px_color-mix(in_oklch,var(--danger)_45%,transparent)] sm:p-6"
    >
      <h2 id={id} className="text-base font-semibold text-danger">
        <Trans>Danger Zone</Trans>
      </h2>
      <div className="mt-2 flex flex-wrap items-center justify-between gap-4">
        <p className="max-w-md text-sm text-muted">{children}</p>
        <Button tone="danger" onClick={onAct}>
          <Icon size={16} aria-hidden />
          {act}
        </Button>
      </div>
    </section>
  );
}
