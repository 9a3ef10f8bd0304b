// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest';

/** What is dropped in the first moment after a page opens. */

let drops: typeof import('./early-drop.ts');
beforeEach(async () => {
  vi.resetModules();
  drops = await import('./early-drop.ts');
  drops.keepEarlyDrops();
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
  Object.defineProperty(event, 'timeStamp', { value: 900 });
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

test('text that is dropped onto a field goes into the field', () => {
  const field = document.body.appendChild(document.createElement('input'));
  expect(drag('dragover', 'link', field)).toBe(false);
  expect(drag('drop', 'link', field)).toBe(false);
  field.remove();
});
