import { afterEach, beforeEach, expect } from 'vitest';

const original = console.error;
let unexpected: string[] = [];

// A test that expects one replaces console.error itself (vi.spyOn) and looks at what came.
beforeEach(() => {
  unexpected = [];
  console.error = (...values: unknown[]) => {
    unexpected.push(values.map(String).join(' '));
    original(...values);
  };
});

afterEach(() => {
  console.error = original;
  expect(unexpected, 'nothing may be printed by console.error').toEqual([]);
});
