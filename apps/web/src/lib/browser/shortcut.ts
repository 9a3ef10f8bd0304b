import { useEffect, useEffectEvent } from 'react';

const NOT_HERE = 'input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=menu]';

/** Single-key page shortcuts; off while typing, in a dialog, or with a modifier held. */
export function useShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(NOT_HERE)) return;
    const run = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : undefined;
    if (!run) return;
    event.preventDefault();
    run();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
}
