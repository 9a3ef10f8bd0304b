import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronDown, ChevronUp, Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import type { PdfFacts } from '../../../../engine/files/content/pdf/pdf-document.ts';
import { numberText } from '../../../../lib/texts/amounts.ts';
import { IconButton } from '../../../../ui/base/button.tsx';
import type { ContentProps } from './content-props.ts';
import { ContentState, CutNote } from './content-states.tsx';
import { PdfPage } from './pdf-page.tsx';
import { useContent } from './use-content.ts';

/** A file may say that it has millions of pages. */
const PAGES_MAX = 2000;
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const;
type Zoom = (typeof ZOOMS)[number];

function nextZoom(zoom: Zoom, step: 1 | -1): Zoom {
  return ZOOMS[ZOOMS.indexOf(zoom) + step] ?? zoom;
}

/** The page in the middle of what is in view. */
function useCurrentPage(scroller: RefObject<HTMLElement | null>) {
  const [current, setCurrent] = useState(1);
  const onScroll = useCallback(() => {
    const box = scroller.current?.getBoundingClientRect();
    if (!box) return;
    const middle = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const page = middle.map((element) => element.closest<HTMLElement>('[data-page]')?.dataset.page).find(Boolean);
    if (page) setCurrent(Number(page));
  }, [scroller]);
  const go = useCallback(
    (number: number) => {
      scroller.current?.querySelector(`[data-page="${number}"]`)?.scrollIntoView({ block: 'start' });
      setCurrent(number);
    },
    [scroller],
  );
  return { current, onScroll, go };
}

interface PageFieldProps {
  current: number;
  count: number;
  go: (number: number) => void;
}

/** Which page is looked at, and a way to any other. */
function PageField({ current, count, go }: PageFieldProps) {
  const { t } = useLingui();
  const [draft, setDraft] = useState<string | null>(null);
  const leave = () => {
    const number = Math.round(Number(draft));
    setDraft(null);
    if (draft !== null && number >= 1 && number <= count) go(number);
  };
  const of = numberText(count, 0);
  return (
    <span className="flex items-center gap-1.5 text-xs tabular">
      <input
        aria-label={t`Page`}
        inputMode="numeric"
        value={draft ?? String(current)}
        onChange={({ target }) => setDraft(target.value)}
        onFocus={({ target }) => target.select()}
        onBlur={leave}
        onKeyDown={({ key }) => key === 'Enter' && leave()}
        className="tap h-8 w-12 rounded-control bg-field text-center shadow-[inset_0_0_0_1px_var(--edge)]"
      />
      <Trans>of {of}</Trans>
    </span>
  );
}

interface ToolbarProps extends PageFieldProps {
  zoom: Zoom;
  onZoom: (zoom: Zoom) => void;
}

function Toolbar({ current, count, go, zoom, onZoom }: ToolbarProps) {
  const { t } = useLingui();
  const percent = Math.round(zoom * 100);
  return (
    <div
      role="toolbar"
      aria-label={t`Pages`}
      data-own-keys=""
      className="flex flex-none items-center justify-center gap-1 border-line border-b bg-surface px-2 py-1"
    >
      <IconButton label={t`Previous page`} disabled={current <= 1} onClick={() => go(current - 1)}>
        <ChevronUp size={16} aria-hidden />
      </IconButton>
      <PageField current={current} count={count} go={go} />
      <IconButton label={t`Next page`} disabled={current >= count} onClick={() => go(current + 1)}>
        <ChevronDown size={16} aria-hidden />
      </IconButton>
      <span aria-hidden="true" className="mx-2 h-5 w-px bg-line" />
      <IconButton label={t`Zoom out`} disabled={zoom === ZOOMS[0]} onClick={() => onZoom(nextZoom(zoom, -1))}>
        <Minus size={16} aria-hidden />
      </IconButton>
      <output aria-live="polite" className="w-11 text-center text-xs tabular">
        {percent}%
      </output>
      <IconButton label={t`Zoom in`} disabled={zoom === ZOOMS.at(-1)} onClick={() => onZoom(nextZoom(zoom, 1))}>
        <Plus size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

interface PagesProps {
  name: string;
  sizeBytes: number;
  facts: PdfFacts;
  client: ContentClient;
}

function Pages({ name, sizeBytes, facts: { pageCount, ratio }, client }: PagesProps) {
  const { t } = useLingui();
  const scroller = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState<Zoom>(1);
  const { current, onScroll, go } = useCurrentPage(scroller);
  const count = Math.min(pageCount, PAGES_MAX);
  const latest = useRef(current);
  useEffect(() => {
    latest.current = current;
  }, [current]);
  const onZoom = (next: Zoom) => {
    const page = latest.current;
    setZoom(next);
    // Pages above grow or shrink with it: the one that is looked at stays in view.
    requestAnimationFrame(() => go(page));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== scroller.current) return;
    const zooms: Readonly<Record<string, Zoom>> = {
      '+': nextZoom(zoom, 1),
      '=': nextZoom(zoom, 1),
      '-': nextZoom(zoom, -1),
      '0': 1,
    };
    const next = Object.hasOwn(zooms, event.key) ? zooms[event.key] : undefined;
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onZoom(next);
  };
  const shown = numberText(PAGES_MAX, 0);
  return (
    <div className="absolute inset-0 flex flex-col">
      <Toolbar current={current} count={count} go={go} zoom={zoom} onZoom={onZoom} />
      <section
        ref={scroller}
        aria-label={t`Pages of ${name}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto p-4 sm:px-16"
      >
        {pageCount > PAGES_MAX && (
          <CutNote>
            <Trans>These are the first {shown} pages. Download the file to read the rest.</Trans>
          </CutNote>
        )}
        {Array.from({ length: count }, (_, at) => (
          <PdfPage
            // biome-ignore lint/suspicious/noArrayIndexKey: pages never move
            key={at}
            number={at + 1}
            client={client}
            sizeBytes={sizeBytes}
            pageCount={pageCount}
            ratio={ratio}
            zoom={zoom}
            scroller={scroller}
          />
        ))}
      </section>
    </div>
  );
}

/**
 * A PDF, page by page as they come into view. It is parsed and drawn in a worker that has no key: no script of the file
 * runs, nothing in it can be clicked, and nothing is fetched for it.
 */
export function PdfContent(props: ContentProps) {
  const { name } = props.file;
  const sizeBytes = props.opened?.sizeBytes ?? 0;
  const load = useCallback((client: ContentClient) => client.ask('pdf', { sizeBytes }), [sizeBytes]);
  const content = useContent(props, load);
  return (
    <ContentState {...props} content={content}>
      {(facts, client) => <Pages name={name} sizeBytes={sizeBytes} facts={facts} client={client} />}
    </ContentState>
  );
}
