import { i18n } from '@lingui/core';
import { plural } from '@lingui/core/macro';
import { I18nProvider } from '@lingui/react';
import { Trans, useLingui } from '@lingui/react/macro';
import { createRoot } from 'react-dom/client';
import { ConfirmDialog } from '../../../ui/dialogs/dialog.tsx';

interface ProgramQuestionProps {
  /** At least one. */
  names: readonly string[];
  onAnswer: (saves: boolean) => void;
}

function ProgramQuestion({ names, onAnswer }: ProgramQuestionProps) {
  const { t } = useLingui();
  const [name] = names;
  const isOne = names.length === 1;
  return (
    <ConfirmDialog
      title={isOne ? t`Save ${name}?` : plural(names.length, { one: 'Save # program?', other: 'Save # programs?' })}
      description={
        isOne ? (
          <Trans>It is a program: run it only if you trust who sent it.</Trans>
        ) : (
          <Trans>Run a program only if you trust who sent it.</Trans>
        )
      }
      yes={t`Save`}
      tone="primary"
      onClose={() => onAnswer(false)}
      onConfirm={() => onAnswer(true)}
    />
  );
}

/**
 * Asks the person before programs are saved. The question has a React root of its own, so that the folder's page loads no code
 * for it, and it closes when the person leaves that page.
 */
export function askToSave(names: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const root = createRoot(document.createElement('div'));
  const { pathname } = location;
  const onAnswer = (saves: boolean) => {
    removeEventListener('popstate', leave);
    resolve(saves);
    // The dialog is unmounted after its own event handler has returned.
    queueMicrotask(() => root.unmount());
  };
  const leave = () => {
    if (location.pathname !== pathname) onAnswer(false);
  };
  addEventListener('popstate', leave);
  root.render(
    <I18nProvider i18n={i18n}>
      <ProgramQuestion names={names} onAnswer={onAnswer} />
    </I18nProvider>,
  );
  return promise;
}
