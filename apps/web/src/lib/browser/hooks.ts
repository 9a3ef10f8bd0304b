import { COPIED_MS, COUNTDOWN_TICK_MS } from '@satchel/contract/limits';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { serverNowMs } from '../api/server-clock.ts';
import { whileCurrent } from './while-current.ts';

export { useMedia, useOnline, useTitle } from '../base/page-hooks.ts';

let nowMs = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const clockListeners = new Set<() => void>();

function followClock(listener: () => void): () => void {
  clockListeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = serverNowMs();
    for (const notify of clockListeners) notify();
  }, COUNTDOWN_TICK_MS);
  return () => {
    clockListeners.delete(listener);
    if (clockListeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function readClock(): number {
  if (timer !== undefined) return nowMs;
  // With no timer running the value would be as old as the last countdown on screen. Two reads of one render get one value.
  const readMs = serverNowMs();
  if (Math.abs(readMs - nowMs) >= COUNTDOWN_TICK_MS) nowMs = readMs;
  return nowMs;
}

/** The server's time in milliseconds since the epoch, renewed every second; one timer for the whole page. */
export const useNow = (): number => useSyncExternalStore(followClock, readClock);

/** This device's time, renewed every second: for pauses, which this device counts. It asks no server. */
export function useDeviceNow(): number {
  const [deviceMs, setDeviceMs] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setDeviceMs(Date.now()), COUNTDOWN_TICK_MS);
    return () => clearInterval(tick);
  }, []);
  return deviceMs;
}

/**
 * A ref that marks the document, as `data-{name}`, while its element is there: `body:has(…)` would have the browser compute
 * every style of the page again with each element that is added to it.
 */
export const markDocument = (name: string) => () => {
  const { dataset } = document.documentElement;
  dataset[name] = '';
  return () => {
    delete dataset[name];
  };
};

/** Follows the content width of an element, in whole pixels. */
export function useWidth<T extends HTMLElement>(): readonly [RefObject<T | null>, number] {
  const ref = useRef<T>(null);
  const [widthPx, setWidthPx] = useState(0);
  // Before the first picture, or what is laid out by the width would jump into its place after it.
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const { paddingLeft, paddingRight } = getComputedStyle(element);
    setWidthPx(Math.round(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)));
    const observer = new ResizeObserver(([entry]) => entry && setWidthPx(Math.round(entry.contentRect.width)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, widthPx] as const;
}

/** True once a web font is in, so that its text can be measured. */
export function useFontReady(font: string): boolean {
  const [ready, setReady] = useState(() => document.fonts.check(font));
  useEffect(() => {
    const done = () => setReady(true);
    return whileCurrent(document.fonts.load(font), done, done);
  }, [font]);
  return ready;
}

/** A ref to the latest value, for effects and listeners that must not be set up again when it changes. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Copies through a temporary text field, for browsers or contexts without the clipboard. */
function copyThroughField(text: string): boolean {
  const opener = document.activeElement;
  const field = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
  field.style.cssText = 'position:fixed;inset:0 auto auto 0;opacity:0';
  // A dialog that traps focus would take it back at once from a field outside it.
  const host = opener?.closest('[role=dialog], [role=alertdialog]') ?? document.body;
  host.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (opener instanceof HTMLElement) opener.focus();
  return done;
}

/** Copies `text`; false when the browser allows neither way. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyThroughField(text);
  }
}

/** Copies with a fallback; `copied` is true for two seconds, and for two more once `tellAgain` is called. */
export function useCopy(): readonly [copied: boolean, copy: (text: string) => Promise<boolean>, tellAgain: () => void] {
  const [copied, setCopied] = useState(false);
  const reset = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(reset.current), []);
  const tell = useCallback((done: boolean) => {
    clearTimeout(reset.current);
    setCopied(done);
    if (done) reset.current = setTimeout(() => setCopied(false), COPIED_MS);
  }, []);
  const copy = useCallback(
    async (text: string) => {
      const done = await copyText(text);
      tell(done);
      return done;
    },
    [tell],
  );
  const tellAgain = useCallback(() => tell(true), [tell]);
  return [copied, copy, tellAgain] as const;
}
