import { t } from '@lingui/core/macro';
import type { Choice } from '@satchel/client/send/order';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { leaveDrops, takeEarlyDrop } from '../../../engine/early-drop.ts';
import { dragDataOf } from '../../../engine/uploads/queue/drag-data.ts';
import { importPatiently } from '../../../lib/base/patient-import.ts';
import { notify } from '../../../lib/base/toast.ts';

/** The code that reads files loads with the first drop. */
const reader = () => importPatiently(() => import('../../../engine/uploads/queue/chosen-files.ts'));
type Reader = Awaited<ReturnType<typeof reader>>;

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
const TYPING = 'input, textarea, select, [contenteditable]';

/** A paste into a field, or without files, is not an upload. */
function isForField({ target, clipboardData }: ClipboardEvent): boolean {
  const isField = target instanceof Element && target.closest(TYPING) !== null;
  return isField || clipboardData === null || clipboardData.files.length === 0;
}

/**
 * Drop anywhere, or paste: both add to the same queue.
 * @returns whether files are being dragged over the page
 */
export function useFileDrops(onFiles: (choice: Choice) => void): boolean {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const take = useEffectEvent(async (read: (by: Reader) => Choice | Promise<Choice>) => {
    const by = await reader();
    const choice = await read(by);
    if (by.saysSomething(choice)) onFiles(choice);
    else notify(() => t`There are no files in what you dropped.`, 'info');
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const setDepth = (next: number) => {
      depth.current = Math.max(0, next);
      setOver(depth.current > 0);
    };
    window.addEventListener('dragenter', (event) => carriesFiles(event) && setDepth(depth.current + 1), { signal });
    window.addEventListener('dragleave', (event) => carriesFiles(event) && setDepth(depth.current - 1), { signal });
    window.addEventListener('dragover', (event) => carriesFiles(event) && event.preventDefault(), { signal });
    window.addEventListener(
      'drop',
      (event) => {
        if (!carriesFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        setDepth(0);
        const data = dragDataOf(event.dataTransfer);
        void take((by) => by.droppedFiles(data));
      },
      { signal },
    );
    window.addEventListener(
      'paste',
      (event) => {
        if (isForField(event)) return;
        const files = [...(event.clipboardData?.files ?? [])];
        void take((by) => by.pastedFiles(files, (stamp) => t`Pasted image ${stamp}`));
      },
      { signal },
    );
    const early = takeEarlyDrop('files');
    if (early) void take((by) => by.droppedFiles(early.data));
    return () => {
      listening.abort();
      leaveDrops('files');
    };
  }, []);
  return isOver;
}
