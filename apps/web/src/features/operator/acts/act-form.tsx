import { type FormEvent, type ReactNode, useId } from 'react';
import { Button } from '../../../ui/base/button.tsx';

interface ActFormProps {
  title: ReactNode;
  text: ReactNode;
  /** The fields. */
  children: ReactNode;
  action: ReactNode;
  tone?: 'quiet' | 'danger';
  busy: boolean;
  failure: string | null;
  onSubmit: () => void;
}

/** A small form for an operator's action; the browser validates its fields. */
export function ActForm({ title, text, children, action, tone = 'quiet', busy, failure, onSubmit }: ActFormProps) {
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <section aria-labelledby={id} className="card p-5">
      <h2 id={id} className="text-base font-semibold">
        {title}
      </h2>
      <p className="mt-1 max-w-xl text-sm text-muted">{text}</p>
      <form className="mt-4 grid items-start gap-4 sm:grid-cols-2" onSubmit={submit}>
        {children}
        <div className="sm:col-span-2">
          {failure && (
            <p role="alert" className="mb-3 text-sm text-danger">
              {failure}
            </p>
          )}
          <Button type="submit" tone={tone} busy={busy} aria-disabled={busy}>
            {action}
          </Button>
        </div>
      </form>
    </section>
  );
}
