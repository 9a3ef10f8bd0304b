import { type ComponentProps, type ReactNode, useState } from 'react';
import { notify } from '../../../lib/base/toast.ts';
import { localDateTime } from '../../../lib/figures/format.ts';
import { Button } from '../../../ui/base/button.tsx';
import { OperatorDialog } from '../acts/act-dialog.tsx';
import { PagedList } from '../paged-list.tsx';

interface Entry {
  /** What it is about, in a monospaced font. */
  readonly subject: string;
  readonly detail: ReactNode;
  readonly createdAt?: string;
}

interface UndoListProps<T> extends Omit<ComponentProps<typeof PagedList<T>>, 'children'> {
  entryOf: (item: T) => Entry;
  /** What the button of each row says. */
  action: ReactNode;
  question: { readonly title: string; readonly text: (subject: string) => ReactNode; readonly yes: ReactNode };
  undo: (subject: string) => Promise<unknown>;
  /** What is said once it is undone. */
  undone: () => string;
  onUndone: () => void;
}

/** A list of an operator's measures, each of which can be undone after a question. */
export function UndoList<T>({ entryOf, action, question, undo, undone, onUndone, ...list }: UndoListProps<T>) {
  const [asked, setAsked] = useState<string | null>(null);
  const confirm = async (subject: string) => {
    await undo(subject);
    notify(undone);
    onUndone();
  };
  return (
    <>
      <PagedList {...list}>
        {(items) => (
          <ul className="card divide-y divide-line">
            {items.map(entryOf).map(({ subject, detail, createdAt }) => (
              <li key={subject} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5 sm:px-5">
                <div className="min-w-0 flex-1 basis-60">
                  <p translate="no" className="font-mono text-xs wrap-anywhere">
                    {subject}
                  </p>
                  <p className="mt-0.5 text-sm text-muted wrap-anywhere">{detail}</p>
                </div>
                {createdAt && <p className="text-xs text-subtle tabular">{localDateTime(createdAt)}</p>}
                <Button size="sm" onClick={() => setAsked(subject)}>
                  {action}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </PagedList>
      {asked !== null && (
        <OperatorDialog
          title={question.title}
          description={question.text(asked)}
          yes={question.yes}
          onClose={() => setAsked(null)}
          onConfirm={() => confirm(asked)}
        />
      )}
    </>
  );
}
