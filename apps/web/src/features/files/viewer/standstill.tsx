import { Trans } from '@lingui/react/macro';
import { RotateCw } from 'lucide-react';
import { type RefObject, useEffect, useState } from 'react';
import { fetchAnew, watchPlayer } from '../../../engine/media/player-watch.ts';
import { Button } from '../../../ui/base/button.tsx';
import { phaseText } from '../grid/card-model.ts';

export const RetryButton = ({ onRetry }: { onRetry: () => void }) => (
  <Button onClick={onRetry}>
    <RotateCw size={15} aria-hidden />
    <Trans>Retry</Trans>
  </Button>
);

/** Said where nothing has come for long. */
export const Standstill = ({ onRetry }: { onRetry: () => void }) => (
  <div
    role="status"
    className="grid justify-items-center gap-2 rounded-control bg-surface px-3 py-2 text-xs text-warning shadow-pop"
  >
    {phaseText('waiting', 0)}
    <RetryButton onRetry={onRetry} />
  </div>
);

/** The same, while a film or a sound stands still. */
export function PlayerStandstill({ player, src }: { player: RefObject<HTMLMediaElement | null>; src: string }) {
  const [standsStill, setStandsStill] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file is watched from its beginning
  useEffect(() => {
    setStandsStill(false);
    return player.current ? watchPlayer(player.current, setStandsStill) : undefined;
  }, [player, src]);
  return standsStill && <Standstill onRetry={() => player.current && fetchAnew(player.current)} />;
}
