import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteFragments, keepFragment, takeFragment } from './kept-fragment.ts';

const slug = 'aZ09aZ09aZ09aZ09';

describe('the way through sign-in', () => {
  const hash = `#k=${'A'.repeat(43)}`;
  const store = new Map<string, string>();

  beforeEach(() => {
    store.clear();
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => store.get(name) ?? null,
      setItem: (name: string, value: string) => store.set(name, value),
      removeItem: (name: string) => store.delete(name),
      key: (at: number) => [...store.keys()][at] ?? null,
      get length() {
        return store.size;
      },
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  test('gives the fragment back once', () => {
    keepFragment(slug, hash);
    expect(takeFragment('another-slug-here')).toBe('');
    expect(takeFragment(slug)).toBe(hash);
    expect(store.size).toBe(0);
    expect(takeFragment(slug)).toBe('');
  });

  test('keeps nothing for a folder opened without a key', () => {
    keepFragment(slug, '#main');
    expect(store.size).toBe(0);
  });

  test('deletes a fragment whose sign-in was abandoned', () => {
    vi.useFakeTimers();
    keepFragment(slug, hash);
    vi.advanceTimersByTime(16 * 60_000);
    expect(takeFragment(slug)).toBe('');
    expect(store.size).toBe(0);
  });

  test('deletes every fragment at once, and nothing else', () => {
    keepFragment(slug, hash);
    keepFragment('another-slug-here', hash);
    store.set('satchel.return_to', '/');
    deleteFragments();
    expect([...store.keys()]).toEqual(['satchel.return_to']);
  });

  test('works without session storage', () => {
    const closed = () => {
      throw new DOMException('closed', 'SecurityError');
    };
    vi.stubGlobal('sessionStorage', { getItem: closed, setItem: closed, removeItem: closed });
    keepFragment(slug, hash);
    expect(takeFragment(slug)).toBe('');
    expect(deleteFragments).not.toThrow();
  });
});
