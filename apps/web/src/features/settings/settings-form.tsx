import { Trans } from '@lingui/react/macro';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';
import type { Saving } from './use-save-settings.ts';

interface SettingsFormProps {
  title: ReactNode;
  saving: Pick<Saving, 'busy' | 'failure'>;
  /** Whether there is something to save. */
  isDirty: boolean;
  /** What the button says. */
  save: ReactNode;
  /** Beside the button. */
  beside?: ReactNode;
  onSave: () => void;
  children: ReactNode;
}

/** One card of the Settings tab: its fields, why they were not saved, and the button that saves them. */
export function SettingsForm({ title, saving, isDirty, save, beside, onSave, children }: SettingsFormProps) {
  const { busy, failure } = saving;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && isDirty) onSave();
  };
  return (
    <Card title={title}>
      <form className="mt-4 grid max-w-lg gap-4" onSubmit={submit}>
        {children}
        {failure && (
          <p className="text-sm text-danger">
            <Trans>The changes were not saved.</Trans> {failure}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button type="submit" busy={busy} disabled={!isDirty} aria-disabled={busy}>
            {busy ? <Trans>Saving...</Trans> : save}
          </Button>
          {beside}
        </div>
      </form>
    </Card>
  );
}
