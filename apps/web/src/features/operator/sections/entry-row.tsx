import type { ReactNode } from 'react';
import { localDateTime } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';

interface EntryRowProps {
  /** What the entry is about, in characters of one width. */
  subject: string;
  detail: ReactNode;
  createdAt?: string;
  action: ReactNode;
  onAct: () => void;
}

/** A line of a list of things that can be taken back. */
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
