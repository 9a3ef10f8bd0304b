import { useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { AlertDialog, Dialog as RadixDialog } from 'radix-ui';
import { type FormEvent, type MouseEvent, type ReactNode, useRef } from 'react';
import { cx } from '../../lib/base/class-names.ts';
import { Button, type ButtonTone, IconButton } from '../base/button.tsx';
import { Failure } from '../sections/failure.tsx';
import { useAct } from '../sections/use-act.ts';

const overlay = 'fixed inset-0 z-50 bg-scrim motion-safe:animate-fade';
/** A centred panel from 640 px up, a bottom sheet below. */
const panel =
  'panel fixed z-50 flex max-h-[min(92dvh,760px)] w-full flex-col overflow-y-auto bg-surface shadow-dialog max-sm:inset-x-0 max-sm:bottom-0 max-sm:rounded-t-panel max-sm:pb-[env(safe-area-inset-bottom)] max-sm:motion-safe:animate-sheet sm:top-1/2 sm:left-1/2 sm:-translate-x-1/2 sm:-translate-y-1/2 sm:max-w-(--w) sm:rounded-panel sm:motion-safe:animate-fade';

/**
 * Radix gives focus back to a Dialog.Trigger only; ours are opened from anywhere, so the opener is remembered.
 * @param fallback where to focus instead, unless it returns null
 */
export function useReturnFocus(fallback?: () => HTMLElement | null | undefined) {
  const opener = useRef<Element>(null);
  return {
    onOpenAutoFocus: () => {
      opener.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const target = fallback?.() ?? opener.current;
      const gone = !target?.isConnected || target === document.body;
      // The answer may have removed the opener; focus the page itself then.
      const place = gone ? document.getElementById('main') : target;
      if (place instanceof HTMLElement) place.focus();
    },
  };
}

interface DialogProps {
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  widthPx?: number;
}

/** Open for as long as it is there. */
export function Dialog({ onClose, title, description, children, widthPx = 480 }: DialogProps) {
  const { t } = useLingui();
  const focus = useReturnFocus();
  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className={overlay} />
        <RadixDialog.Content
          {...focus}
          className={panel}
          style={{ ['--w' as string]: `${widthPx}px` }}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <div className="flex items-start justify-between gap-4 px-5 pt-5 sm:px-6 sm:pt-6">
            <div>
              <RadixDialog.Title className="display text-xl">{title}</RadixDialog.Title>
              {description && (
                <RadixDialog.Description className="mt-1 text-sm text-muted">{description}</RadixDialog.Description>
              )}
            </div>
            <RadixDialog.Close asChild>
              <IconButton label={t`Close`} size="sm" className="-mt-1 -mr-2">
                <X size={18} />
              </IconButton>
            </RadixDialog.Close>
          </div>
          <div className="p-5 sm:p-6">{children}</div>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

interface ConfirmDialogProps {
  title: string;
  description: ReactNode;
  /** Fields to fill in first. */
  children?: ReactNode;
  /** The safe answer, which has focus first; Cancel unless it is named. */
  cancel?: string;
  /** What the other answer says, and while it is being done. */
  yes: ReactNode;
  doing?: ReactNode;
  tone?: ButtonTone;
  /** Whether the fields are filled in. */
  isReady?: boolean;
  /** Said before the reason when it was not done. */
  notDone?: ReactNode;
  /** Where to focus afterwards, instead of the opener. */
  returnFocus?: (isDone: boolean) => HTMLElement | null | undefined;
  /** @param isBusy whether the act is still running */
  onClose: (isBusy: boolean) => void;
  /** The dialog stays until this resolves; also afterwards if it throws, or resolves to a text that says why it failed. */
  onConfirm: () => unknown;
}

/** For choices that can't be undone: no click outside, the safe answer has focus. */
export function ConfirmDialog({ title, description, children, yes, doing = yes, ...props }: ConfirmDialogProps) {
  const { cancel, tone = 'danger', isReady = true, notDone, returnFocus, onClose, onConfirm } = props;
  const { t } = useLingui();
  const { busy, failure, run } = useAct();
  const isDone = useRef(false);
  const focus = useReturnFocus(() => returnFocus?.(isDone.current));
  const confirm = async (event: MouseEvent | FormEvent) => {
    event.preventDefault();
    if (!isReady || !(await run(onConfirm))) return;
    isDone.current = true;
    onClose(false);
  };
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose(busy)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={overlay} />
        <AlertDialog.Content {...focus} className={cx(panel, 'sm:max-w-[440px]')}>
          <div className="p-5 sm:p-6">
            <AlertDialog.Title className="display text-xl">{title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="mt-2 text-sm text-muted">{description}</div>
            </AlertDialog.Description>
            {children && (
              <form className="mt-4 grid gap-4" onSubmit={confirm}>
                {children}
              </form>
            )}
            <Failure text={failure} notDone={notDone} className="mt-3" />
            <div className="mt-6 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
              <AlertDialog.Cancel asChild>
                <Button size="lg">{cancel ?? t`Cancel`}</Button>
              </AlertDialog.Cancel>
              <AlertDialog.Action asChild>
                <Button size="lg" tone={tone} busy={busy} disabled={!isReady} aria-disabled={busy} onClick={confirm}>
                  {busy ? doing : yes}
                </Button>
              </AlertDialog.Action>
            </div>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
