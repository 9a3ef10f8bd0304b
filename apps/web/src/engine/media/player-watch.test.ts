import { STILL_MS } from '@satchel/client/open/standstill';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchAnew, watchPlayer } from './player-watch.ts';

/** The part of a player that is looked at. */
class Player extends EventTarget {
  readonly HAVE_METADATA = 1;
  readonly HAVE_FUTURE_DATA = 3;
  readonly NETWORK_LOADING = 2;
  readyState = 4;
  networkState = 2;
  seeking = false;
  paused = true;
  ended = false;
  currentTime = 0;
  currentSrc = '/media/first';
  loads = 0;
  load(): void {
    this.loads += 1;
    Object.assign(this, { currentTime: 0, paused: true, readyState: 0 });
  }
  async play(): Promise<void> {
    this.paused = false;
  }
}

const asMedia = (player: Player) => player as unknown as HTMLMediaElement;
let player: Player;
let standsStill: boolean;
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  [player, standsStill] = [new Player(), false];
  stop = watchPlayer(asMedia(player), (isStill) => {
    standsStill = isStill;
  });
});
afterEach(() => vi.useRealTimers());

test.each([
  ['plays and has nothing to play', { paused: false, readyState: 2 }, true],
  ['jumps to where it has nothing', { seeking: true, readyState: 1 }, true],
  ['asks for the first bytes', { readyState: 0 }, true],
  ['plays', { paused: false }, false],
  ['is paused', { readyState: 2 }, false],
  ['is over', { paused: false, ended: true, readyState: 2 }, false],
  ['waits for the person before it asks', { readyState: 0, networkState: 1 }, false],
])('a player that %s for 20 seconds without a byte', (_what, state, isStill) => {
  Object.assign(player, state);
  vi.advanceTimersByTime(STILL_MS - 1);
  expect(standsStill).toBe(false);
  vi.advanceTimersByTime(1);
  expect(standsStill).toBe(isStill);
});

test('one that stands still later is noticed, and again after it continued', () => {
  vi.advanceTimersByTime(10 * STILL_MS);
  Object.assign(player, { paused: false, readyState: 2 });
  player.dispatchEvent(new Event('play'));
  for (const _ of [1, 2]) {
    vi.advanceTimersByTime(STILL_MS);
    expect(standsStill).toBe(true);
    player.dispatchEvent(new Event('progress'));
    expect(standsStill).toBe(false);
  }
  stop();
  vi.advanceTimersByTime(STILL_MS);
  expect(standsStill).toBe(false);
});

describe('fetched again', () => {
  /** What the element does by itself. */
  const know = () => {
    player.readyState = 1;
    player.dispatchEvent(new Event('loadedmetadata'));
  };

  test.each([false, true])('it continues from where it was, once it knows its film; paused before: %s', (paused) => {
    Object.assign(player, { currentTime: 42, paused });
    fetchAnew(asMedia(player));
    // WebKit plays no further from a place that was set before.
    expect(player).toMatchObject({ loads: 1, currentTime: 0, paused: true });
    know();
    expect(player).toMatchObject({ currentTime: 42, paused });
    Object.assign(player, { currentTime: 50 });
    know();
    expect(player.currentTime).toBe(50);
  });

  test('twice before it knew its film, it continues from the same place', () => {
    Object.assign(player, { currentTime: 42, paused: false });
    fetchAnew(asMedia(player));
    fetchAnew(asMedia(player));
    know();
    expect(player).toMatchObject({ loads: 2, currentTime: 42, paused: false });
  });

  test('and given another film meanwhile, it plays that from its beginning', () => {
    Object.assign(player, { currentTime: 42, paused: false });
    fetchAnew(asMedia(player));
    Object.assign(player, { currentSrc: '/media/other' });
    know();
    expect(player).toMatchObject({ currentTime: 0, paused: true });
    Object.assign(player, { currentSrc: '/media/first', currentTime: 7 });
    fetchAnew(asMedia(player));
    know();
    expect(player.currentTime).toBe(7);
  });
});
