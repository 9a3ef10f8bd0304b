import type { ReactNode } from 'react';
import { localDateTime } from '../../../lib/figures/format.ts';
import { Button } from '../../../ui/base/button.tsx';

interface EntryRowProps {
  /** Subject of the entry, in a monospaced font. */
  subject: string;
  detail: ReactNode;
  createdAt?: string;
  action: ReactNode;
  onAct: () => void;
}

/** A row of a list whose entries can be undone. */
export const EntryRow = ({ subject, detail, createdAt, action, onAct }: EntryRowProps) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5 sm:px-5">
    <div className="min-w-0 flex-1 basis-60">
      <p translate="no" className="font-mono text-xs wrap-anywhere">
        {subject}
      </p>
      <p className="mt-0.5 text-sm text-muted wrap-anywhere">{detail}</p>
    </div>
    {createdAt && <p className="text-xs text-subtle tabular">{localDateTime(createdAt)}</p>}
    <Button size="sm" onClick={onAct}>
      {action}
    </Button>
  </li>
);
