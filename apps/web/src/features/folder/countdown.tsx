import { Trans } from '@lingui/react/macro';
import { COUNTDOWN_TICK_MS } from '@satchel/contract/limits';
import { useEffect, useEffectEvent } from 'react';
import { useNow } from '../../lib/browser/hooks.ts';
import { countdown, countdownSpoken } from '../../lib/figures/format.ts';
import { lifeTone, StitchRing } from '../../ui/base/stitch.tsx';

/** Creation and end of a folder, by the database's clock. */
export interface Lifetime {
  readonly createdAt: string;
  readonly expiresAt: string;
}

function useLeft({ expiresAt }: Lifetime): number {
  return Date.parse(expiresAt) - useNow();
}

/** Screen readers get a phrase that changes once a minute instead of the ticking text. */
export function Countdown({ lifetime, className }: { lifetime: Lifetime; className?: string }) {
  const leftMs = useLeft(lifetime);
  return (
    <span className={className}>
      <span aria-hidden="true" className="tabular">
        {leftMs <= 0 ? <Trans>Expired</Trans> : countdown(leftMs)}
      </span>
      <span className="sr-only">{countdownSpoken(leftMs)}</span>
    </span>
  );
}

/** A ring of 24 stitches: the remaining lifetime of the folder. */
export function LifeRing({ lifetime, sizePx }: { lifetime: Lifetime; sizePx: number }) {
  const leftMs = useLeft(lifetime);
  const wholeMs = Date.parse(lifetime.expiresAt) - Date.parse(lifetime.createdAt);
  return <StitchRing sizePx={sizePx} fraction={leftMs / wholeMs} tone={lifeTone(leftMs)} />;
}

/** Reports the end of the folder at that moment; also after the device wakes from sleep. */
export function ExpiryWatch({ lifetime, onExpired }: { lifetime: Lifetime; onExpired: () => void }) {
  const leftMs = useLeft(lifetime);
  // The page's clock ticks at any point of a second; wait out the last second.
  const isLast = leftMs <= COUNTDOWN_TICK_MS;
  const endOfLast = useEffectEvent(() => setTimeout(onExpired, Math.max(0, leftMs)));
  useEffect(() => {
    if (!isLast) return;
    const timer = endOfLast();
    return () => clearTimeout(timer);
  }, [isLast]);
  return null;
}
