import { Trans, useLingui } from '@lingui/react/macro';
import { toAppError } from '@satchel/contract/errors';
import { CircleAlert, CircleCheck, FileQuestion, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { compareSaved } from '../../../engine/files/saving/compare-saved.ts';
import { type ToCompare, toCompare } from '../../../engine/files/saving/to-compare.ts';
import { useStore } from '../../../lib/base/page-hooks.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { Button, IconButton } from '../../../ui/base/button.tsx';
import { StitchBar } from '../../../ui/states/stitch-bar.tsx';

type State =
  | { readonly kind: 'asked' | 'same' | 'other' }
  | { readonly kind: 'comparing'; readonly percent: number }
  | { readonly kind: 'size'; readonly foundBytes: number }
  | { readonly kind: 'failed'; readonly text: string };

/** Compares the file that the person chooses, and ends that when the dock goes. */
function useComparison({ sizeBytes, open }: ToCompare) {
  const [state, setState] = useState<State>({ kind: 'asked' });
  const control = useRef<AbortController>(null);
  useEffect(() => () => control.current?.abort(), []);
  async function compare(file: File): Promise<void> {
    if (file.size !== sizeBytes) return setState({ kind: 'size', foundBytes: file.size });
    control.current = new AbortController();
    const { signal } = control.current;
    const onProgress = (sameBytes: number) =>
      setState({ kind: 'comparing', percent: Math.floor((100 * sameBytes) / sizeBytes) });
    onProgress(0);
    try {
      const isSame = await compareSaved(file, await open(signal), { onProgress, signal });
      setState({ kind: isSame ? 'same' : 'other' });
    } catch (error) {
      if (!signal.aborted) setState({ kind: 'failed', text: errorText(toAppError(error, 'download.failed_with')) });
    }
  }
  return { state, compare };
}

function Result({ file, state }: { file: ToCompare; state: State }): ReactNode {
  const { i18n } = useLingui();
  const { name } = file;
  const size = bytes(file.sizeBytes);
  const exact = i18n.number(file.sizeBytes);
  switch (state.kind) {
    case 'asked':
      return (
        <Trans>
          Your browser has the whole file, but doesn’t tell this page what it saved. The saved file should have {exact}{' '}
          bytes ({size}).
        </Trans>
      );
    case 'comparing':
      return <Trans>Comparing with the folder…</Trans>;
    case 'same':
      return <Trans>The saved file is whole: all {exact} bytes match the folder.</Trans>;
    case 'size': {
      const found = i18n.number(state.foundBytes);
      return (
        <Trans>
          That file has {found} bytes instead of {exact}: it is not whole, or another one. Download {name} again.
        </Trans>
      );
    }
    case 'other':
      return <Trans>That file is as large, but not the same. Download {name} again.</Trans>;
    case 'failed':
      return state.text;
  }
}

function Dock({ file }: { file: ToCompare }) {
  const { t } = useLingui();
  const chooser = useRef<HTMLInputElement>(null);
  const { state, compare } = useComparison(file);
  const { name } = file;
  const isBad = state.kind === 'size' || state.kind === 'other' || state.kind === 'failed';
  const Icon = isBad ? CircleAlert : state.kind === 'same' ? CircleCheck : FileQuestion;
  const colour = isBad ? 'text-danger' : state.kind === 'same' ? 'text-success' : 'text-muted';
  return (
    <section aria-label={t`Is the download whole?`} className="card p-4 shadow-dialog motion-safe:animate-rise">
      <div className="flex items-start gap-3">
        <Icon size={18} aria-hidden className={`mt-0.5 shrink-0 ${colour}`} />
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium">{name}</p>
          <p role="status" className="text-xs text-muted wrap-anywhere">
            <Result file={file} state={state} />
          </p>
          {state.kind === 'comparing' ? (
            <StitchBar value={state.percent} label={t`Comparing`} className="mt-3" />
          ) : (
            state.kind !== 'same' && (
              <Button size="sm" className="mt-2.5" onClick={() => chooser.current?.click()}>
                <Trans>Compare the saved file…</Trans>
              </Button>
            )
          )}
          <input
            ref={chooser}
            type="file"
            hidden
            aria-label={t`Saved file`}
            onChange={({ target }) => {
              const [chosen] = target.files ?? [];
              if (chosen) void compare(chosen);
              target.value = '';
            }}
          />
        </div>
        <IconButton label={t`Close`} onClick={() => toCompare.set(null)}>
          <X size={17} aria-hidden />
        </IconButton>
      </div>
    </section>
  );
}

/** In the dock at the foot of the window: whether the browser has written the last file of which it tells nothing. */
export function CompareDock() {
  const file = useStore(toCompare);
  return file && <Dock key={file.name + file.sizeBytes} file={file} />;
}
