import { CircleAlert, X } from 'lucide-react';
import { plural } from '../../lib/format.ts';
import { IconButton } from '../../ui/button.tsx';
import type { RejectedFile } from './admission.ts';

interface RejectedFilesProps {
  rejected: readonly RejectedFile[];
  onDismiss: () => void;
}

/** Files that were not taken, and why, instead of letting them vanish (DESIGN-UX §7). */
export function RejectedFiles({ rejected, onDismiss }: RejectedFilesProps) {
  if (rejected.length === 0) return null;
  return (
    <section aria-label="Files not taken" className="flex items-start gap-3 rounded-card bg-danger-soft py-3 pr-2 pl-4">
      <CircleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-medium text-danger">{plural(rejected.length, 'file')} not taken</p>
        <ul className="mt-1 grid max-h-40 gap-0.5 overflow-y-auto text-xs text-ink">
          {rejected.map(({ name, error }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one name can be refused twice, and rows never change places
            <li key={`${place} ${name}`} className="wrap-anywhere">
              <b className="font-medium">{name}</b>: {error.message}
            </li>
          ))}
        </ul>
      </div>
      <IconButton label="Dismiss" size="sm" onClick={onDismiss}>
        <X size={16} aria-hidden />
      </IconButton>
    </section>
  );
}
