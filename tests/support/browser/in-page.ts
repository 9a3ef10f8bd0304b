/** What a test of uploads has the page itself do: these functions run in the page. */

export function pastePicture(bytes: number[]): void {
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([new Uint8Array(bytes)], 'image.png', { type: 'image/png' }));
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
}

export function drag(type: 'dragenter' | 'drop'): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' }));
  document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
}

export function dropMany(count: number): void {
  const dataTransfer = new DataTransfer();
  for (let place = 0; place < count; place++) {
    dataTransfer.items.add(
      new File([`text ${place}`], `${String(place).padStart(4, '0')}.txt`, { type: 'text/plain' }),
    );
  }
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}

export function focusedRow(): string | null {
  return document.activeElement?.closest('li')?.getAttribute('aria-posinset') ?? null;
}

export function runningAnimations(): string[] {
  const running = document.getAnimations().filter(({ playState }) => playState === 'running');
  return running.map((animation) =>
    animation instanceof CSSTransition ? animation.transitionProperty : (animation as CSSAnimation).animationName,
  );
}

/** Drops a file that has a handle: one of the page's own file system, since a test can't drag one from the desk. */
export async function dropWithHandle({ name, megabytes }: { name: string; megabytes: number }): Promise<void> {
  const handle = await (await navigator.storage.getDirectory()).getFileHandle(name, { create: true });
  const writable = await handle.createWritable();
  await writable.write(new Uint8Array(megabytes * 2 ** 20));
  await writable.close();
  Object.defineProperty(DataTransferItem.prototype, 'getAsFileSystemHandle', { value: async () => handle });
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(await handle.getFile());
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}
