import { type FormEvent, type ReactNode, useState } from 'react';
import { notify } from '../../../lib/base/toast.ts';
import { Button } from '../../../ui/base/button.tsx';
import { Card } from '../../../ui/sections/card.tsx';
import { Failure } from '../../../ui/sections/failure.tsx';
import { useAct } from '../../../ui/sections/use-act.ts';

interface ActInput<Draft> {
  empty: Draft;
  /** Gets the values without space around them. */
  act: (draft: Draft) => Promise<unknown>;
  /** What is said once it is done. */
  done: () => string;
  onDone?: () => void;
}

/** The fields and the act of an operator's form. */
export function useActForm<Draft extends Record<string, string>>({ empty, act, done, onDone }: ActInput<Draft>) {
  const [draft, setDraft] = useState(empty);
  const { busy, failure, run } = useAct();
  const submit = async () => {
    const values = Object.entries(draft).map(([name, value]) => [name, value.trim()]);
    if (!(await run(() => act(Object.fromEntries(values))))) return;
    setDraft(empty);
    notify(done);
    onDone?.();
  };
  const field = (name: keyof Draft) => ({
    required: true,
    value: draft[name],
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
    autoComplete: 'off',
  });
  return { field, form: { busy, failure, onSubmit: () => void submit() } };
}

interface ActFormProps {
  title: ReactNode;
  text: ReactNode;
  /** The fields. */
  children: ReactNode;
  action: ReactNode;
  tone?: 'quiet' | 'danger';
  form: ReturnType<typeof useActForm>['form'];
}

/** A small form for an operator's action; the browser validates its fields. */
export function ActForm({ title, text, children, action, tone = 'quiet', form }: ActFormProps) {
  const { busy, failure, onSubmit } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Card title={title} className="p-5">
      <p className="mt-1 max-w-xl text-sm text-muted">{text}</p>
      <form className="mt-4 grid items-start gap-4 sm:grid-cols-2" onSubmit={submit}>
        {children}
        <div className="sm:col-span-2">
          <Failure text={failure} className="mb-3" />
          <Button type="submit" tone={tone} busy={busy} aria-disabled={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Card>
  );
}
