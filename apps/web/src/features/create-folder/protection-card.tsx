import { KeyRound, ServerCog } from 'lucide-react';
import { Switch } from '../../ui/field.tsx';
import { type FolderDraft, visibility } from './folder-draft.ts';

interface ProtectionCardProps {
  draft: FolderDraft;
  onChange: (change: Partial<FolderDraft>) => void;
}

export function ProtectionCard({ draft, onChange }: ProtectionCardProps) {
  const { headline, text } = visibility(draft);
  const Icon = draft.encrypt ? KeyRound : ServerCog;
  return (
    <section aria-label="Protection" className="card grid gap-5 p-5">
      <Switch
        label="Encrypt files"
        hint="Sealed in this browser before upload."
        checked={draft.encrypt}
        onCheckedChange={(encrypt) => onChange({ encrypt })}
      />
      {draft.encrypt && (
        <Switch
          label="Hide file names"
          hint="Names and types are sealed, too."
          checked={draft.hideNames}
          onCheckedChange={(hideNames) => onChange({ hideNames })}
        />
      )}
      <div
        aria-live="polite"
        className={`flex gap-3 rounded-control p-3.5 text-xs text-muted ${draft.encrypt ? 'bg-sunken' : 'bg-warning-soft'}`}
      >
        <Icon size={16} aria-hidden className="mt-px shrink-0" />
        <p>
          <b className="font-semibold text-ink">{headline}</b> {text}
        </p>
      </div>
    </section>
  );
}
