import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Dialog } from '../../ui/dialogs/dialog.tsx';

/** Keys with a word on them are named in the page's language; the others show their symbol. */
type Key = string | MessageDescriptor;
type Row = readonly [keys: readonly Key[], what: MessageDescriptor];

const CTRL = msg({ message: 'Ctrl', comment: 'a key of the keyboard' });
const HOME = msg({ message: 'Home', comment: 'a key of the keyboard' });
const END = msg({ message: 'End', comment: 'a key of the keyboard' });
const PAGE_UP = msg({ message: 'PgUp', comment: 'a key of the keyboard' });
const PAGE_DOWN = msg({ message: 'PgDn', comment: 'a key of the keyboard' });
const ENTER = msg({ message: 'Enter', comment: 'a key of the keyboard' });
const SPACE = msg({ message: 'Space', comment: 'a key of the keyboard' });
const SHIFT = msg({ message: 'Shift', comment: 'a key of the keyboard' });
const DELETE = msg({ message: 'Del', comment: 'a key of the keyboard' });
const ESCAPE = msg({ message: 'Esc', comment: 'a key of the keyboard' });

const UPLOADING: readonly Row[] = [
  [['U'], msg`Show or hide upload`],
  [[CTRL, 'V'], msg`Upload what is on the clipboard`],
];
const PAGE: readonly Row[] = [
  [['S'], msg`Share`],
  [['/'], msg`Search files`],
  [['?'], msg`This list`],
];
const FILES: readonly Row[] = [
  [['←', '→', '↑', '↓'], msg`Move between files`],
  [[HOME, END], msg`First or last in the row`],
  [[CTRL, HOME, END], msg`First or last file`],
  [[PAGE_UP, PAGE_DOWN], msg`A screen up or down`],
  [[ENTER], msg`Open`],
  [['D'], msg`Download`],
  [[SPACE], msg`Select`],
  [[SHIFT, '←', '→', '↑', '↓'], msg`Extend the selection`],
  [[CTRL, 'A'], msg`Select all`],
  [[ESCAPE], msg`Clear the selection`],
];
const CHANGING: readonly Row[] = [
  [['F2'], msg`Rename`],
  [[DELETE], msg`Delete`],
];
const VIEWER: readonly Row[] = [
  [['←', '→'], msg`Previous, next`],
  [['+', '−', '0'], msg`Zoom in, out, fit`],
  [['D'], msg`Download and close`],
  [[ESCAPE], msg`Close`],
];

interface KeyboardHelpProps {
  onClose: () => void;
  /** Includes the owner's keys. */
  isOwner: boolean;
}

interface GroupProps {
  name: string;
  rows: readonly Row[];
}

function Group({ name, rows }: GroupProps) {
  const { t } = useLingui();
  const textOf = (key: Key) => (typeof key === 'string' ? key : t(key));
  return (
    <section>
      <h3 className="mb-2 text-xs font-medium text-subtle">{name}</h3>
      <dl className="grid gap-2">
        {rows.map(([keys, what]) => (
          <div key={what.id} className="flex items-center justify-between gap-3 text-sm">
            <dt className="text-muted">{t(what)}</dt>
            <dd className="flex shrink-0 gap-1">
              {keys.map((key) => (
                <kbd
                  key={textOf(key)}
                  className="inline-grid h-6 min-w-6 place-items-center rounded-chip bg-raised px-1.5 font-mono text-2xs text-muted shadow-[inset_0_-1px_0_var(--edge),0_0_0_1px_var(--line)]"
                >
                  {textOf(key)}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Keys of the folder page. */
export function KeyboardHelp({ onClose, isOwner }: KeyboardHelpProps) {
  const { t } = useLingui();
  return (
    <Dialog onClose={onClose} title={t`Keyboard`} widthPx={640}>
      <div className="grid gap-6 sm:grid-cols-2">
        <div className="grid content-start gap-6">
          <Group name={t`Page`} rows={isOwner ? [...UPLOADING, ...PAGE] : PAGE} />
          <Group name={t({ message: 'Viewer', context: 'where a file is shown' })} rows={VIEWER} />
        </div>
        <Group name={t`Files`} rows={isOwner ? [...FILES, ...CHANGING] : FILES} />
      </div>
    </Dialog>
  );
}
