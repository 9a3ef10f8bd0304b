import { useLingui } from '@lingui/react/macro';
import { secondsText } from '../../lib/figures/format.ts';
import { type CallbackState, STEP_TEXT } from './callback-state.ts';

/** The visible debug log (§2): a polite log region, so that screen readers read new lines. */
export function CallbackLog({ lines, error }: CallbackState) {
  const { t } = useLingui();
  return (
    <div
      role="log"
      aria-label={t`Sign-in log`}
      className="mt-6 rounded-control bg-sunken p-4 text-left font-mono text-xs text-muted"
    >
      <ol className="grid gap-1">
        {lines.map(({ step, atMs }, position) => {
          const last = position === lines.length - 1;
          return (
            <li key={step} className={last && error ? 'flex gap-3 text-danger' : 'flex gap-3'}>
              <span className="tabular">+{secondsText(atMs)}</span>
              <span className={last && !error ? 'text-ink' : ''}>{t(STEP_TEXT[step])}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
