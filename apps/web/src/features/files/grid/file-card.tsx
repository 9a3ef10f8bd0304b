import { useLingui as useTexts } from '@lingui/react';
import { useLingui } from '@lingui/react/macro';
import { Check, Download, RotateCw, Trash2 } from 'lucide-react';
import { lazy, type MouseEvent, memo, type RefObject, Suspense, useEffect, useId, useRef } from 'react';
import { canOpen, canSelect, type FileItem } from '../../../engine/files/file-model.ts';
import { cx } from '../../../lib/base/class-names.ts';
import { bytes } from '../../../lib/figures/format.ts';
import { fitName } from '../../../lib/figures/measure-text.ts';
import { KeyHelp, KeyMark } from '../../../ui/states/badge.tsx';
import type { SelectHandlers } from '../actions/use-selection.ts';
import { isViewable, offersRetry, phaseText } from './card-model.ts';
import { FileFace, loadStills } from './file-face.tsx';

/** Reports when an element enters and leaves the view; its removal from the page counts as leaving. */
function useInView(ref: RefObject<Element | null>, id: string, onChange: (id: string, isVisible: boolean) => void) {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last) onChange(id, last.isIntersecting);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      onChange(id, false);
    };
  }, [ref, id, onChange]);
}

export interface CardHandlers extends SelectHandlers {
  /** Views a file; opens it first if needed. */
  readonly onView: (id: string) => void;
  readonly onDownload: (id: string) => void;
  readonly onRetry: (id: string) => void;
  readonly onInView: (id: string, isVisible: boolean) => void;
  /** Opens the delete confirmation; null for everyone but the owner. */
  readonly onAskRemove: ((id: string) => void) | null;
  /** Opens the rename dialog; null for everyone but the owner. */
  readonly onAskRename: ((id: string) => void) | null;
}

export interface FileCardProps extends CardHandlers {
  file: FileItem;
  nameWidthPx: number;
  /** Holds the grid's tab stop. */
  active: boolean;
  selected: boolean;
  /** At least one file of the folder is selected. */
  selecting: boolean;
  onFocus: (id: string) => void;
}

/** Shortens the name in its middle by CSS only: the whole name can be searched and copied. */
export function FileName({ name, widthPx }: { name: string; widthPx: number }) {
  const [head, cut, tail] = fitName(name, widthPx);
  return (
    <p title={name} aria-hidden="true" className="truncate text-sm font-medium">
      {head}
      {cut && (
        <span className="text-[0px] leading-[0] before:text-sm before:leading-[0] before:content-['…']">{cut}</span>
      )}
      {tail}
    </p>
  );
}

const SpokenDuration = lazy(async () => ({ default: (await loadStills()).SpokenDuration }));

function StateLine({ id, file }: { id: string; file: FileItem }) {
  const film = file.kind === 'video' ? file.opened?.objectUrl : null;
  const mark = (file.badge === 'api' || file.badge === 'cached') && (
    <>
      {' '}
      <KeyMark state={file.badge} />
    </>
  );
  return (
    <div id={id} className="mt-0.5 text-xs text-muted tabular">
      {file.phase !== 'none' ? (
        // One line on the narrowest card, too: the words say more than the icon.
        <p className={cx('truncate', file.phase === 'downloading' ? 'text-info' : 'text-accent-text')}>
          {phaseText(file.phase, file.percent)}
          <span className="sr-only">{mark}</span>
        </p>
      ) : (
        <p>
          {bytes(file.sizeBytes)}
          {film && (
            <Suspense>
              <SpokenDuration src={film} />
            </Suspense>
          )}
          {mark}
          {file.badge === 'api' && !file.error && (
            <span className="sr-only">
              . <KeyHelp state="api" />
            </span>
          )}
        </p>
      )}
    </div>
  );
}

interface SideButtonProps {
  file: FileItem;
  active: boolean;
  nameId: string;
  onDownload: (id: string) => void;
  onRetry: (id: string) => void;
}

function SideButton({ file, active, nameId, onDownload, onRetry }: SideButtonProps) {
  const { t } = useLingui();
  const retries = offersRetry(file);
  const label = retries ? t`Retry` : t`Download`;
  const Icon = retries ? RotateCw : Download;
  return (
    <button
      type="button"
      tabIndex={active ? 0 : -1}
      aria-label={label}
      title={label}
      aria-describedby={nameId}
      disabled={(file.phase !== 'none' && !retries) || !canOpen(file)}
      onClick={() => (retries ? onRetry : onDownload)(file.id)}
      className="relative z-10 grid size-9 shrink-0 place-items-center rounded-control text-muted transition-colors hover:bg-raised hover:text-ink focus-visible:rounded-control disabled:pointer-events-none disabled:opacity-40"
    >
      <Icon size={17} strokeWidth={1.75} aria-hidden />
    </button>
  );
}

interface RemoveButtonProps {
  file: FileItem;
  active: boolean;
  nameId: string;
  onAskRemove: (id: string) => void;
}

/** Visible on hover and focus. On devices without hover, the person selects files first. */
function RemoveButton({ file, active, nameId, onAskRemove }: RemoveButtonProps) {
  const { t } = useLingui();
  return (
    <button
      type="button"
      tabIndex={active ? 0 : -1}
      aria-label={t`Delete file`}
      title={t`Delete file`}
      aria-describedby={nameId}
      onClick={() => onAskRemove(file.id)}
      className="absolute top-2 right-11 z-10 max-sm:top-1 grid size-8 place-items-center rounded-control bg-surface text-muted opacity-0 transition-[opacity,color] duration-150 hover:text-danger focus-visible:rounded-control focus-visible:opacity-100 pointer-coarse:hidden group-focus-within/card:opacity-100 group-hover/card:opacity-100"
    >
      <Trash2 size={16} strokeWidth={1.75} aria-hidden />
    </button>
  );
}

type SelectBoxProps = Pick<FileCardProps, 'selected' | 'selecting' | 'onSelect'> & Pick<FileItem, 'id' | 'name'>;

/** Visible on hover and while any file is selected; always on devices without hover. */
export function SelectBox({ id, name, selected, selecting, onSelect }: SelectBoxProps) {
  const { t } = useLingui();
  return (
    <label
      className={cx(
        'absolute top-0 right-0 z-10 grid size-12 cursor-pointer select-none place-items-center transition-opacity duration-150 focus-within:opacity-100 group-focus-within/card:opacity-100 group-hover/card:opacity-100 pointer-coarse:opacity-100',
        !selecting && 'opacity-0',
      )}
    >
      <input
        type="checkbox"
        // By keyboard, Space on the card selects (one tab stop).
        tabIndex={-1}
        aria-label={t`Select ${name}`}
        checked={selected}
        onChange={(event) => {
          const { nativeEvent } = event;
          onSelect(id, { range: nativeEvent instanceof globalThis.MouseEvent && nativeEvent.shiftKey });
        }}
        className="peer sr-only"
      />
      <span
        aria-hidden="true"
        className="grid size-8 place-items-center rounded-control bg-surface text-accent-ink outline-offset-2 peer-checked:[&>span]:border-accent peer-checked:[&>span]:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-checked:[&_svg]:visible"
      >
        <span className="grid size-5 place-items-center rounded-chip border-2 border-edge">
          <Check size={14} strokeWidth={3} className="invisible" />
        </span>
      </span>
    </label>
  );
}

/** A click with a modifier key, or a touch while others are selected, selects the card. */
export function clickMeaning({ ctrlKey, metaKey, shiftKey, nativeEvent }: MouseEvent, selecting: boolean) {
  if (shiftKey) return 'range';
  const isTouch = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch';
  return ctrlKey || metaKey || (selecting && isTouch) ? 'select' : 'act';
}

export const CARD =
  'group/card relative flex h-full flex-col overflow-hidden rounded-card bg-surface shadow-card transition-shadow duration-150 hover:shadow-pop has-[[data-main]:focus-visible]:outline-2 has-[[data-main]:focus-visible]:outline-offset-2 has-[[data-main]:focus-visible]:outline-focus';

/** One file: the whole card is the click target, with its own Download beside the name. */
export const FileCard = memo(function FileCard(props: FileCardProps) {
  const { file, nameWidthPx, active, selected, selecting } = props;
  const { onView, onDownload, onRetry, onFocus, onInView, onAskRemove, onSelect } = props;
  const card = useRef<HTMLDivElement>(null);
  const id = useId();
  const [nameId, stateId, errorId] = [`${id}-n`, `${id}-s`, `${id}-e`];
  useInView(card, file.id, onInView);
  // The component is memoised: without this line, a language change would not update the texts.
  useTexts();
  const views = isViewable(file);
  const isForeign = file.badge === 'foreign';
  const act = (event: MouseEvent) => {
    const meaning = clickMeaning(event, selecting);
    if (meaning !== 'act') onSelect(file.id, { range: meaning === 'range' });
    else if (views) onView(file.id);
  };
  return (
    <div ref={card} className={cx(CARD, selected && 'ring-2 ring-graph')}>
      <button
        type="button"
        data-main
        data-file={file.id}
        tabIndex={active ? 0 : -1}
        aria-disabled={!views || undefined}
        id={nameId}
        aria-label={file.name}
        aria-describedby={file.error || isForeign || file.badge === 'none' ? `${stateId} ${errorId}` : stateId}
        onFocus={() => onFocus(file.id)}
        onClick={act}
        className={cx('absolute inset-0 z-[5] focus-visible:outline-none', !views && 'cursor-default')}
      />
      <FileFace file={file} errorId={errorId} />
      <div className="flex flex-1 items-start gap-1 py-2.5 pr-1.5 pl-3">
        <div className="min-w-0 flex-1">
          <FileName name={file.name} widthPx={nameWidthPx} />
          <StateLine id={stateId} file={file} />
        </div>
        {!isForeign && (
          <SideButton file={file} active={active} nameId={nameId} onDownload={onDownload} onRetry={onRetry} />
        )}
      </div>
      {onAskRemove && <RemoveButton file={file} active={active} nameId={nameId} onAskRemove={onAskRemove} />}
      {canSelect(file, onAskRemove !== null) && (
        <SelectBox id={file.id} name={file.name} selected={selected} selecting={selecting} onSelect={onSelect} />
      )}
    </div>
  );
});
