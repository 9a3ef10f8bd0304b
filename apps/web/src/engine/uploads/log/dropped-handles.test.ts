import { WAIT_MS } from '@satchel/contract/testing/pace';
import { afterEach, expect, test, vi } from 'vitest';
import { canPickHandles, handleOf, pickWithHandles, rememberDropped } from './dropped-handles.ts';

/** Files with the handles that the browser's picker gives. */

afterEach(() => void vi.unstubAllGlobals());

const fileHandle = (name: string) => {
  const file = new File([name], name);
  return { file, handle: { kind: 'file', name, getFile: async () => file } as unknown as FileSystemFileHandle };
};
const pickerThat = (answer: () => Promise<unknown>) => {
  const picker = vi.fn(answer);
  vi.stubGlobal('showOpenFilePicker', picker);
  return picker;
};

test('the picker gives several files, each with its handle', async () => {
  const [boat, map] = [fileHandle('boat.txt'), fileHandle('map.png')];
  const picker = pickerThat(async () => [boat.handle, map.handle]);
  expect(await pickWithHandles()).toEqual([boat.file, map.file]);
  expect(picker).toHaveBeenCalledWith({ multiple: true });
  expect([handleOf(boat.file), handleOf(map.file)]).toEqual([boat.handle, map.handle]);
});

test('a person who cancels has chosen no file', async () => {
  pickerThat(() => Promise.reject(new DOMException('The user aborted a request.', 'AbortError')));
  expect(await pickWithHandles()).toEqual([]);
});

test.each(['SecurityError', 'NotAllowedError', 'NotReadableError'])('%s leads to a file input', async (name) => {
  pickerThat(() => Promise.reject(new DOMException('Not here.', name)));
  expect(await pickWithHandles()).toBe('refused');
});

test('a file that went before it could be read leads to a file input', async () => {
  const { handle } = fileHandle('boat.txt');
  const getFile = () => Promise.reject(new DOMException('Gone.', 'NotFoundError'));
  pickerThat(async () => [{ ...handle, getFile }]);
  expect(await pickWithHandles()).toBe('refused');
});

test('the picker is used by a mouse, and where the browser has one', () => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query !== '(pointer: coarse)' }));
  expect(canPickHandles()).toBe(false);
  pickerThat(async () => []);
  expect(canPickHandles()).toBe(true);
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query === '(pointer: coarse)' }));
  expect(canPickHandles()).toBe(false);
});

test('dropped files keep their handles, dropped directories none', async () => {
  const { file, handle } = fileHandle('boat.txt');
  const inDirectory = new File(['x'], 'photo.jpg');
  const directory = { kind: 'directory' } as unknown as FileSystemDirectoryHandle;
  rememberDropped({ files: [file, inDirectory], handles: [Promise.resolve(handle), Promise.resolve(directory)] });
  await vi.waitFor(() => expect(handleOf(file)).toBe(handle), WAIT_MS);
  expect(handleOf(inDirectory)).toBeUndefined();
});
