import { watchStandstill } from '@satchel/client/open/standstill';

/** Tells when a film or a sound stands still: the browser's player does not say that the bytes it waits for don't come. */

/** Events of a player when it continues, or when bytes have come. */
const SIGNS = ['progress', 'timeupdate', 'loadedmetadata', 'canplay', 'seeking', 'seeked', 'play', 'pause', 'emptied'];

function wantsBytes(player: HTMLMediaElement): boolean {
  const { readyState, networkState, seeking, paused, ended } = player;
  if (readyState < player.HAVE_METADATA) return networkState === player.NETWORK_LOADING;
  return seeking || (!paused && !ended && readyState < player.HAVE_FUTURE_DATA);
}

/**
 * Tells whether a player wants bytes that don't come.
 * @returns stops watching
 */
export function watchPlayer(player: HTMLMediaElement, onChange: (standsStill: boolean) => void): () => void {
  const watch = watchStandstill(() => (wantsBytes(player) ? onChange(true) : watch.touch()));
  const onSign = () => {
    watch.touch();
    onChange(false);
  };
  for (const sign of SIGNS) player.addEventListener(sign, onSign);
  return () => {
    watch.stop();
    for (const sign of SIGNS) player.removeEventListener(sign, onSign);
  };
}

/** Has a player fetch its bytes again, from where it is. */
export function fetchAnew(player: HTMLMediaElement): void {
  const { currentTime, paused } = player;
  player.load();
  player.currentTime = currentTime;
  // A browser that plays nothing unasked leaves it paused.
  if (!paused) player.play().catch(() => {});
}
