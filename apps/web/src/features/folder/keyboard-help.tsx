import { Dialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';

type Row = readonly [keys: readonly string[], what: string];

const FILES: readonly Row[] = [
  [['←', '→', '↑', '↓'], 'Move between files'],
  [['Home', 'End'], 'First or last in the row'],
  [['Enter'], 'Open'],
  [['D'], 'Download'],
];
const REMOVING: Row = [['Delete'], 'Delete'];
const VIEWER: readonly Row[] = [
  [['←', '→'], 'Previous, next'],
  [['+', '−', '0'], 'Zoom in, out, fit'],
  [['D'], 'Download and close'],
  [['Esc'], 'Close'],
];
const UPLOADING: readonly Row[] = [
  [['U'], 'Show or hide upload'],
  [['Ctrl', 'V'], 'Upload what is on the clipboard'],
];
const PAGE: readonly Row[] = [
  [['S'], 'Copy the link'],
  [['?'], 'This list'],
];

interface KeyboardHelpProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Also the keys that are the owner's alone. */
  isOwner: boolean;
}

/** The keys of the folder page (DESIGN-UX §5). */
export function KeyboardHelp({ open, onOpenChange, isOwner }: KeyboardHelpProps) {
  const groups = [
    ['Page', isOwner ? [...UPLOADING, ...PAGE] : PAGE],
    ['Files', isOwner ? [...FILES, REMOVING] : FILES],
    ['Viewer', VIEWER],
  ] as const;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard" widthPx={640}>
      <div className="grid gap-6 sm:grid-cols-2">
        {groups.map(([name, rows]) => (
          <section key={name}>
            <h3 className="mb-2 text-xs font-medium text-subtle">{name}</h3>
            <dl className="grid gap-2">
              {rows.map(([keys, what]) => (
                <div key={what} className="flex items-center justify-between gap-3 text-sm">
                  <dt className="text-muted">{what}</dt>
                  <dd className="flex gap-1">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
