// @vitest-environment happy-dom
import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useNow } from './hooks.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('a clock that moves while a component renders is read once, and is right again a second later', () => {
  const startMs = 1_800_000_000_000;
  let atMs = startMs;
  vi.spyOn(Date, 'now').mockImplementation(() => atMs++);
  // React compares two reads of one render, and reports a difference by console.error.
  const { result } = renderHook(useNow);
  expect(result.current).toBeGreaterThanOrEqual(startMs);
  cleanup();
  atMs = startMs + 60_000;
  expect(renderHook(useNow).result.current).toBeGreaterThanOrEqual(startMs + 60_000);
});
