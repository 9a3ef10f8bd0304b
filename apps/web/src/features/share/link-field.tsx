import { Trans } from '@lingui/react/macro';
import { Copy } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../../ui/base/button.tsx';

interface LinkFieldProps {
  /** The page's address. */
  page: string;
  /** The fragment, when the link includes the key. */
  fragment: string | null;
  copied: boolean;
  onCopy: () => void;
  /** Copy takes the initial focus. */
  focusCopy: boolean;
}

/** The link to share, with its key highlighted. One click selects all of it, for manual copying. */
export function LinkField({ page, fragment, copied, onCopy, focusCopy }: LinkFieldProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focusCopy) button.current?.focus();
  }, [focusCopy]);
  const { origin, pathname } = new URL(page);
  return (
    <div className="flex items-center gap-1 rounded-control bg-sunken p-1 pl-3 shadow-[inset_0_0_0_1px_var(--edge)]">
      <p className="min-w-0 flex-1 select-all truncate font-mono text-xs">
        <span className="sr-only">{origin}</span>
        <span className="text-ink">{pathname}</span>
        {fragment !== null && <span className="text-accent-text">{fragment}</span>}
      </p>
      <Button ref={button} tone="primary" size="sm" onClick={onCopy}>
        {copied ? (
          <Trans>✓ Copied!</Trans>
        ) : (
          <>
            <Copy size={15} aria-hidden />
            <Trans>Copy</Trans>
          </>
        )}
      </Button>
    </div>
  );
}
