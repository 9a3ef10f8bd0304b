import { Trans } from '@lingui/react/macro';
import { COUNTDOWN_TICK_MS } from '@satchel/contract/limits';
import { useEffect, useEffectEvent } from 'react';
import { countdown, countdownSpoken } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { lifeTone, StitchRing } from '../../ui/stitch.tsx';

/** When a folder was made and when it ends, by the database's clock. */
export interface Lifetime {
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The database's clock minus this device's, in milliseconds. */
  readonly clockOffsetMs: number;
}

function useLeft({ expiresAt, clockOffsetMs }: Lifetime): number {
  return Date.parse(expiresAt) - (useNow() + clockOffsetMs);
}

/** The ticking text is hidden from screen readers; they get a phrase that changes once a minute. */
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

/** A ring of 24 stitches: what is left of the folder's life. */
export function LifeRing({ lifetime, sizePx }: { lifetime: Lifetime; sizePx: number }) {
  const leftMs = useLeft(lifetime);
  const wholeMs = Date.parse(lifetime.expiresAt) - Date.parse(lifetime.createdAt);
  return <StitchRing sizePx={sizePx} fraction={leftMs / wholeMs} tone={lifeTone(leftMs)} />;
}

/** Says that the folder's time is over, at that moment; also after a sleep of the device. */
export function ExpiryWatch({ lifetime, onExpired }: { lifetime: Lifetime; onExpired: () => void }) {
  const leftMs = useLeft(lifetime);
  // The clock of the page ticks somewhere inside a second; the last of them is waited out to its end.
  const isLast = leftMs <= COUNTDOWN_TICK_MS;
  const endOfLast = useEffectEvent(() => setTimeout(onExpired, Math.max(0, leftMs)));
  useEffect(() => {
    if (!isLast) return;
    const timer = endOfLast();
    return () => clearTimeout(timer);
  }, [isLast]);
  return null;
}
