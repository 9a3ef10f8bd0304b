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

/** Where a player continues after it has loaded its metadata again. */
interface Place {
  readonly src: string;
  readonly seconds: number;
  readonly plays: boolean;
}

const places = new WeakMap<HTMLMediaElement, Place>();

/**
 * Has a player fetch its bytes again, and continue from where it is. The place is set after the metadata has loaded: WebKit never plays
 * on from a place that was set before. Until then `places` keeps it, so that a second try does not lose it.
 */
export function fetchAnew(player: HTMLMediaElement): void {
  const { currentSrc: src, currentTime: seconds, paused } = player;
  const before = places.get(player);
  const place = before?.src === src ? before : { src, seconds, plays: !paused };
  places.set(player, place);
  const onMetadata = () => {
    const isWanted = places.get(player) === place && player.currentSrc === src;
    places.delete(player);
    if (!isWanted) return;
    player.currentTime = place.seconds;
    // A browser that plays nothing unasked leaves it paused.
    if (place.plays) player.play().catch(() => {});
  };
  player.addEventListener('loadedmetadata', onMetadata, { once: true });
  player.load();
}
