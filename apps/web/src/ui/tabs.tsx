import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { cx } from '../lib/base/class-names.ts';

export interface Tab {
  id: string;
  label: ReactNode;
  content: ReactNode;
}

interface TabsProps {
  tabs: readonly Tab[];
  /** What the row of tabs is called. */
  label: string;
  value: string;
  onValueChange: (id: string) => void;
  className?: string;
}

/** The index of the tab that a key moves to from `index`; null when the key moves nowhere. */
function tabFor(key: string, index: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (index + 1) % count;
    case 'ArrowLeft':
      return (index + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}

/**
 * The tab switcher (APG "tabs", chosen as the focus moves). A panel holds controls of its own, so it is no
 * tab stop itself. Ours rather than radix's, which would be ten of the folder page's first 155 KB.
 */
export function Tabs({ tabs, label, value, onValueChange, className }: TabsProps) {
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);
  const current = tabs.find(({ id }) => id === value);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const index = tabFor(
      event.key,
      tabs.findIndex(({ id }) => id === value),
      tabs.length,
    );
    const next = index === null ? undefined : tabs[index];
    if (index === null || !next) return;
    event.preventDefault();
    onValueChange(next.id);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div className={className}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex flex-wrap gap-x-6 border-b border-line"
        onKeyDown={onKeyDown}
      >
        {tabs.map(({ id, label: text }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}-tab-${id}`}
            aria-selected={id === value}
            aria-controls={id === value ? `${prefix}-panel` : undefined}
            data-state={id === value ? 'active' : undefined}
            tabIndex={id === value ? 0 : -1}
            onClick={() => onValueChange(id)}
            className={cx(
              'tab relative -mx-1 -mb-px h-11 rounded-chip px-1 text-sm font-medium text-muted transition-colors hover:text-ink',
              'data-[state=active]:text-ink data-[state=active]:after:absolute data-[state=active]:after:inset-x-1 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-graph',
            )}
          >
            {text}
          </button>
        ))}
      </div>
      {current && (
        <div
          key={current.id}
          role="tabpanel"
          id={`${prefix}-panel`}
          aria-labelledby={`${prefix}-tab-${current.id}`}
          tabIndex={-1}
          className="pt-6 focus-visible:outline-none"
        >
          {current.content}
        </div>
      )}
    </div>
  );
}
