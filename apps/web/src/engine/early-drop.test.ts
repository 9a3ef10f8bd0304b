// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** What is dropped in the first moment after a page opens. */

let drops: typeof import('./early-drop.ts');
/** How long the document is there. */
let nowMs: number;
let opened: AbortController;
beforeEach(async () => {
  nowMs = 900;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  vi.resetModules();
  drops = await import('./early-drop.ts');
  opened = new AbortController();
  drops.keepEarlyDrops(opened);
});

afterEach(() => {
  opened.abort();
  vi.restoreAllMocks();
});

const file = new File(['x'], 'note.txt');
const LINK = 'https://satchel.example/f/Bx7kQ2mN9pR4sT6v';

/** @returns whether the page took it, so that the browser doesn't leave the page for it */
function drag(type: 'dragover' | 'drop', what: 'file' | 'link', target: EventTarget = document.body): boolean {
  const dataTransfer = {
    types: what === 'file' ? ['Files'] : ['text/uri-list'],
    items: [],
    files: what === 'file' ? [file] : [],
    getData: (format: string) => (what === 'link' && format === 'text/uri-list' ? LINK : ''),
  };
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), { dataTransfer });
  Object.defineProperty(event, 'timeStamp', { value: nowMs });
  return !target.dispatchEvent(event);
}

test('files and links wait for the code that takes them, and are handed out once', () => {
  expect(drag('dragover', 'file')).toBe(true);
  expect(drag('drop', 'file')).toBe(true);
  expect(drops.takeEarlyDrop('link')).toBeNull();
  expect(drops.takeEarlyDrop('files')?.data.files).toEqual([file]);
  expect(drops.takeEarlyDrop('files')).toBeNull();
});

test('that code takes further ones of its kind alone', () => {
  drops.takeEarlyDrop('files');
  expect(drag('drop', 'file')).toBe(false);
  expect(drag('drop', 'link')).toBe(true);
  expect(drops.takeEarlyDrop('link')?.uris).toBe(LINK);
});

test('files that are dropped between two pages that take them wait for the second one', () => {
  drops.takeEarlyDrop('files');
  nowMs = 600_000;
  drops.leaveDrops('files');
  expect(drag('dragover', 'file')).toBe(true);
  expect(drag('drop', 'file')).toBe(true);
  nowMs += 2000;
  expect(drops.takeEarlyDrop('files')?.data.files).toEqual([file]);
});

test('a page that comes much later gets no files that were dropped onto an earlier one', () => {
  expect(drag('drop', 'file')).toBe(true);
  nowMs += 31_000;
  expect(drops.takeEarlyDrop('files')).toBeNull();
});

test('text that is dropped onto a field goes into the field', () => {
  const field = document.body.appendChild(document.createElement('input'));
  expect(drag('dragover', 'link', field)).toBe(false);
  expect(drag('drop', 'link', field)).toBe(false);
  field.remove();
});
