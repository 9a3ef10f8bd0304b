import { useLingui } from '@lingui/react/macro';
import { Info } from 'lucide-react';
import { type ReactNode, type ToggleEvent, useId, useState } from 'react';
import type { FileItem } from '../../../engine/files/file-model.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { IconButton } from '../../../ui/base/button.tsx';
import { KeyBadge, KeyHelp } from '../../../ui/states/badge.tsx';
import type { MediaSize } from './viewer-view.ts';

interface FileFactsProps {
  file: FileItem;
  size: MediaSize | null;
}

/** All that there is to say of a file, and whether it is open already. */
export function FileFacts({ file, size }: FileFactsProps) {
  const { t } = useLingui();
  const { name, directory, sizeBytes, type, badge } = file;
  const facts: (readonly [string, ReactNode])[] = [
    [t`Name`, name],
    [t`Size`, bytes(sizeBytes)],
    [t`Type`, type || t`Unknown type`],
  ];
  if (directory !== '') facts.splice(1, 0, [t`Path`, directory]);
  if (size && size[0] > 0) facts.push([t`Picture`, `${size[0]} × ${size[1]}`]);
  const state = badge === 'foreign' ? null : badge;
  if (state) facts.push([t`State`, <KeyBadge key="state" state={state} />]);
  return (
    <>
      <dl className="grid gap-2.5 text-sm">
        {facts.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-6">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0 text-right wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      {state && (
        <p className="mt-2 text-xs text-muted">
          <KeyHelp state={state} />
        </p>
      )}
    </>
  );
}

/** The facts behind a button, where the content takes the whole room. */
export function FactsButton(props: FileFactsProps) {
  const { t } = useLingui();
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton label={t`About this file`} popoverTarget={id} className="max-sm:size-10">
        <Info size={17} strokeWidth={1.75} aria-hidden />
      </IconButton>
      <div
        id={id}
        popover="auto"
        role="note"
        aria-label={t`About this file`}
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => setOpen(event.newState === 'open')}
        className="anchored w-80 max-w-[calc(100vw-24px)] rounded-card bg-surface p-4 text-ink shadow-pop"
      >
        {open && <FileFacts {...props} />}
      </div>
    </>
  );
}
