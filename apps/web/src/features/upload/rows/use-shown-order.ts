import { useEffect, useMemo, useRef, useState } from 'react';
import { inShownOrder, type UploadItem } from '../../../engine/uploads/queue/queue.ts';
import { useLatest } from '../../../lib/browser/hooks.ts';

const ORDER_KEPT_MS = 1000;

const placesOf = (items: readonly UploadItem[]) => new Map(inShownOrder(items).map(({ id }, place) => [id, place]));

/**
 * Uploads under way come first, since the others may be out of sight. A long list keeps its order for a while: otherwise each
 * of many small files would move through the view and get a new row.
 */
export function useShownOrder(items: readonly UploadItem[], isLong: boolean): readonly UploadItem[] {
  const [places, setPlaces] = useState(() => placesOf(items));
  const latest = useLatest(items);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the items is to be seen in the end
  useEffect(() => {
    if (!isLong) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setPlaces(placesOf(latest.current));
    }, ORDER_KEPT_MS);
  }, [items, isLong, latest]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useMemo(() => {
    const isKept = isLong && items.length === places.size && items.every(({ id }) => places.has(id));
    return isKept ? [...items].sort((a, b) => places.get(a.id)! - places.get(b.id)!) : inShownOrder(items);
  }, [items, isLong, places]);
}
