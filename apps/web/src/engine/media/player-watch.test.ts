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

describe('a player that fetches its bytes again', () => {
  const loadMetadata = () => {
    player.readyState = 1;
    player.dispatchEvent(new Event('loadedmetadata'));
  };

  test.each([false, true])('continues from its place after the metadata has loaded; paused before: %s', (paused) => {
    Object.assign(player, { currentTime: 42, paused });
    fetchAnew(asMedia(player));
    expect(player).toMatchObject({ loads: 1, currentTime: 0, paused: true });
    loadMetadata();
    expect(player).toMatchObject({ currentTime: 42, paused });
    Object.assign(player, { currentTime: 50 });
    loadMetadata();
    expect(player.currentTime).toBe(50);
  });

  test('keeps its place when it is told to a second time before the metadata has loaded', () => {
    Object.assign(player, { currentTime: 42, paused: false });
    fetchAnew(asMedia(player));
    fetchAnew(asMedia(player));
    loadMetadata();
    expect(player).toMatchObject({ loads: 2, currentTime: 42, paused: false });
  });

  test('plays another film from the beginning if its address was changed meanwhile', () => {
    Object.assign(player, { currentTime: 42, paused: false });
    fetchAnew(asMedia(player));
    Object.assign(player, { currentSrc: '/media/other' });
    loadMetadata();
    expect(player).toMatchObject({ currentTime: 0, paused: true });
    Object.assign(player, { currentSrc: '/media/first', currentTime: 7 });
    fetchAnew(asMedia(player));
    loadMetadata();
    expect(player.currentTime).toBe(7);
  });
});
