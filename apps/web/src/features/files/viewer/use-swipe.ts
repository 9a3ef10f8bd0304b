import { type TouchEvent, useRef } from 'react';

/** A shorter way is a tap of an unsteady hand. */
const SWIPE_PX = 48;
/** So far a touch may still become a scroll. */
const SLOP_PX = 10;
/** The lower end of a film: its own controls. */
const FILM_CONTROLS_PX = 72;

interface Start {
  readonly x: number;
  readonly y: number;
  /** Null until the finger has gone far enough to tell. */
  isSideways: boolean | null;
}

/** So soon and so near, a second tap makes a double one. The zoom's own limit of 200 ms is too short for many hands. */
const DOUBLE_TAP_MS = 320;
const DOUBLE_TAP_PX = 32;

interface Tap {
  readonly x: number;
  readonly y: number;
  readonly timeMs: number;
}

const isSecond = (first: Tap | null, { x, y, timeMs }: Tap): boolean =>
  first !== null && timeMs - first.timeMs < DOUBLE_TAP_MS && Math.hypot(x - first.x, y - first.y) < DOUBLE_TAP_PX;

/** Then a finger moves the page itself. */
const isPageZoomed = (): boolean => (window.visualViewport?.scale ?? 1) > 1.01;

/** Whether a touch belongs to what it began on: something that scrolls sideways, a control, or a content that says so. */
function isOwn(target: EventTarget, stage: Element, y: number): boolean {
  for (let at = target instanceof Element ? target : null; at && at !== stage; at = at.parentElement) {
    if (at.matches('[data-own-touch], audio, input, select, textarea')) return true;
    if (at instanceof HTMLVideoElement && y > at.getBoundingClientRect().bottom - FILM_CONTROLS_PX) return true;
    if (at.scrollWidth > at.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(at).overflowX)) return true;
  }
  return false;
}

interface SwipeHandlers {
  readonly go: (step: number) => void;
  /** While a picture is zoomed, a finger moves it. */
  readonly isBlocked: boolean;
  /** Null where a second tap has no meaning. */
  readonly onDoubleTap: ((x: number, y: number) => void) | null;
}

/**
 * Swipes to the file before and after, and the content follows the finger; a double tap zooms. The handlers run in the
 * capture phase: the zoom of pictures keeps touches to itself.
 */
export function useSwipe({ go, isBlocked, onDoubleTap }: SwipeHandlers) {
  const stage = useRef<HTMLDivElement>(null);
  const tap = useRef<Tap | null>(null);
  const isDouble = useRef(false);
  const start = useRef<Start | null>(null);
  const shift = (px: number) => {
    const moved = stage.current?.firstElementChild;
    if (moved instanceof HTMLElement) moved.style.translate = px === 0 ? '' : `${px}px`;
  };
  const stop = () => {
    start.current = null;
    shift(0);
  };
  const onTouchStartCapture = (event: TouchEvent) => {
    const { touches, target, currentTarget, timeStamp } = event;
    const touch = touches[0];
    const before = tap.current;
    tap.current = touches.length === 1 && touch ? { x: touch.clientX, y: touch.clientY, timeMs: timeStamp } : null;
    isDouble.current = onDoubleTap !== null && tap.current !== null && isSecond(before, tap.current);
    if (isDouble.current && touch) {
      event.stopPropagation();
      tap.current = null;
      onDoubleTap?.(touch.clientX, touch.clientY);
      return stop();
    }
    if (touches.length !== 1 || !touch || isBlocked || isPageZoomed() || isOwn(target, currentTarget, touch.clientY))
      return stop();
    start.current = { x: touch.clientX, y: touch.clientY, isSideways: null };
  };
  const onTouchMoveCapture = ({ touches }: TouchEvent) => {
    const touch = touches[0];
    if (!start.current || touches.length !== 1 || !touch) return stop();
    const [x, y] = [touch.clientX - start.current.x, touch.clientY - start.current.y];
    if (start.current.isSideways === null && Math.max(Math.abs(x), Math.abs(y)) > SLOP_PX) {
      start.current.isSideways = Math.abs(x) > 1.5 * Math.abs(y);
      tap.current = null;
    }
    if (start.current.isSideways === false) stop();
    else if (start.current.isSideways) shift(x);
  };
  const onTouchEndCapture = (event: TouchEvent) => {
    const touch = event.changedTouches[0];
    // Or the browser would make a double click of it, which zooms, too.
    if (isDouble.current) event.preventDefault();
    const x = start.current?.isSideways && touch ? touch.clientX - start.current.x : 0;
    stop();
    if (Math.abs(x) >= SWIPE_PX) go(x < 0 ? 1 : -1);
  };
  return { ref: stage, onTouchStartCapture, onTouchMoveCapture, onTouchEndCapture, onTouchCancelCapture: stop };
}
