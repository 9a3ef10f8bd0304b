// @vitest-environment happy-dom
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { newItem, type UploadItem, type UploadStatus } from '@satchel/client/send/list/queue';
import { SMALL_FILE_BYTES } from '@satchel/client/send/order';
import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLanguage } from '../../../lib/texts/language.ts';
import { UploadRows, useShownOrder } from './upload-rows.tsx';

beforeEach(() => startLanguage());
afterEach(cleanup);

const nothing = () => {};
const actions = {
  pause: nothing,
  resume: nothing,
  cancel: nothing,
  remove: nothing,
  retry: nothing,
  rechoose: nothing,
};

const itemOf = (name: string, status: UploadStatus): UploadItem => ({
  ...newItem(name, { file: new File(['x'], name), name, path: name }, true),
  sizeBytes: 2 * SMALL_FILE_BYTES,
  status,
});
const rows = (items: readonly UploadItem[]) => (
  <I18nProvider i18n={i18n}>
    <UploadRows items={items} actions={actions} />
  </I18nProvider>
);
const names = () => screen.getAllByRole('listitem').map((row) => row.querySelector('p')?.title);

test('what is under way comes first, then what failed and what waits; what is done comes last', () => {
  const { rerender } = render(
    rows([itemOf('a', 'completed'), itemOf('b', 'pending'), itemOf('c', 'error'), itemOf('d', 'uploading')]),
  );
  expect(names()).toEqual(['d', 'c', 'b', 'a']);
  rerender(rows([itemOf('a', 'completed'), itemOf('b', 'encrypting'), itemOf('c', 'error'), itemOf('d', 'paused')]));
  expect(names()).toEqual(['b', 'd', 'c', 'a']);
});

test('on a phone a list of more than three is folded, with what is under way first, until all are asked for', () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: nothing, removeEventListener: nothing }));
  const items = ['a', 'b', 'c', 'd', 'e'].map((name) => itemOf(name, name === 'd' ? 'uploading' : 'pending'));
  render(rows(items));
  expect(names()).toEqual(['d', 'a', 'b']);
  fireEvent.click(screen.getByRole('button', { name: 'Show all 5 files', expanded: false }));
  expect(names()).toEqual(['d', 'a', 'b', 'c', 'e']);
  fireEvent.click(screen.getByRole('button', { name: 'Show fewer files', expanded: true }));
  expect(names()).toHaveLength(3);
  cleanup();
  render(rows(items.slice(0, 3)));
  expect(screen.queryByRole('button', { name: /^Show all/ })).toBeNull();
  vi.unstubAllGlobals();
});

test('a small file that is being sent stays where it is, unless something keeps it', () => {
  const small = (name: string, status: UploadStatus) => ({ ...itemOf(name, status), sizeBytes: 3 });
  const { rerender } = render(rows([itemOf('a', 'pending'), small('b', 'uploading'), itemOf('c', 'uploading')]));
  expect(names()).toEqual(['c', 'a', 'b']);
  rerender(rows([itemOf('a', 'pending'), { ...small('b', 'uploading'), retryAtMs: 1 }, itemOf('c', 'uploading')]));
  expect(names()).toEqual(['b', 'c', 'a']);
});

test('a row that moves when it is done keeps the focus of its button', () => {
  const { rerender } = render(rows([itemOf('a', 'uploading'), itemOf('b', 'pending')]));
  const cancel = screen.getByRole('button', { name: 'Cancel' });
  cancel.focus();
  rerender(rows([itemOf('a', 'completed'), itemOf('b', 'uploading')]));
  expect(names()).toEqual(['b', 'a']);
  expect(document.activeElement).toBe(cancel);
  expect(cancel.getAttribute('aria-label')).toBe('Remove');
});

test('Tab stops at one row of the list, and arrow keys lead to the same button of the others', () => {
  render(rows([itemOf('a', 'uploading'), itemOf('b', 'error'), itemOf('c', 'pending')]));
  const stops = () => [...document.querySelectorAll('button')].filter(({ tabIndex }) => tabIndex === 0);
  const labels = () =>
    stops().map((button) => `${button.getAttribute('aria-label')} ${button.closest('li')?.querySelector('p')?.title}`);
  expect(labels()).toEqual(['Pause a', 'Cancel a']);
  const arrow = (key: string) => {
    fireEvent.keyDown(document.activeElement!, { key });
    return document.activeElement?.getAttribute('aria-label');
  };
  act(() => stops()[0]?.focus());
  expect(['ArrowDown', 'ArrowDown', 'ArrowDown'].map(arrow)).toEqual(['Retry', 'Remove', 'Remove']);
  expect(labels()).toEqual(['Remove c']);
  expect(['ArrowUp', 'ArrowUp'].map(arrow)).toEqual(['Retry', 'Pause']);
});

test('a long list keeps its order for a while, so that many files don’t run through it', () => {
  vi.useFakeTimers();
  try {
    const before = [itemOf('a', 'uploading'), itemOf('b', 'pending'), itemOf('c', 'pending')];
    const after = [itemOf('a', 'completed'), itemOf('b', 'uploading'), itemOf('c', 'pending')];
    const { result, rerender } = renderHook(({ items }) => useShownOrder(items, true), {
      initialProps: { items: before },
    });
    const shown = () => result.current.map(({ name, status }) => `${name} ${status}`);
    rerender({ items: after });
    expect(shown()).toEqual(['a completed', 'b uploading', 'c pending']);
    act(() => void vi.advanceTimersByTime(3000));
    expect(shown()).toEqual(['b uploading', 'c pending', 'a completed']);
    rerender({ items: [...after, itemOf('d', 'error')] });
    expect(shown()).toEqual(['b uploading', 'd error', 'c pending', 'a completed']);
  } finally {
    vi.useRealTimers();
  }
});
