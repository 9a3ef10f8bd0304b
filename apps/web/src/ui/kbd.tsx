import type { ReactNode } from 'react';

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-grid h-6 min-w-6 place-items-center rounded-chip bg-raised px-1.5 font-mono text-2xs text-muted shadow-[inset_0_-1px_0_var(--edge),0_0_0_1px_var(--line)]">
    {children}
  </kbd>
);
