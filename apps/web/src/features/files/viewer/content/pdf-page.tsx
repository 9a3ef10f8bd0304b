import { Trans, useLingui } from '@lingui/react/macro';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import type { ContentClient } from '../../../../engine/files/content/content-client.ts';
import type { DrawnPage, PageWord } from '../../../../engine/files/content/pdf/pdf-document.ts';
import { whileCurrent } from '../../../../lib/browser/while-current.ts';

interface PdfPageProps {
  client: ContentClient;
  sizeBytes: number;
  number: number;
  pageCount: number;
  /** Height by width, until the page says its own. */
  ratio: number;
  /** Of the whole width. */
  zoom: number;
  scroller: RefObject<HTMLElement | null>;
}

/** Pages this far from what is in view are drawn ahead; pages further away give their memory back. */
const AHEAD = '75% 0px';
/** Screens of more pixels to a point than this show no difference. */
const DENSITY_MAX = 2.5;

/** Whether a page is in view, or nearly. */
function useIsNear(place: RefObject<Element | null>, scroller: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!place.current) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: AHEAD,
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place, scroller]);
  return isNear;
}

/** The page's words over their picture: not to be seen, but to be read out, searched, selected and copied. */
const Words = memo(({ words, width, height }: { words: readonly PageWord[]; width: number; height: number }) => (
  <svg viewBox={`0 0 ${width} ${height}`} className="absolute inset-0 size-full select-text" role="presentation">
    {words.map(({ text, x, y, size, width: length, degrees }, at) => (
      <text
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a page never change
        key={at}
        transform={`translate(${x} ${y}) rotate(${degrees})`}
        fontSize={size}
        fill="transparent"
        {...(length > 0 ? { textLength: length, lengthAdjust: 'spacingAndGlyphs' } : {})}
      >
        {text}
      </text>
    ))}
  </svg>
));

type Drawn = Omit<DrawnPage, 'picture'> | 'failed' | null;

function useDrawnPage({ client, sizeBytes, number, zoom }: PdfPageProps, isNear: boolean) {
  const place = useRef<HTMLCanvasElement>(null);
  const [drawn, setDrawn] = useState<Drawn>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another zoom draws it again, and shows the present picture until then
  useEffect(() => {
    const canvas = place.current;
    if (!isNear || !canvas) return;
    const control = new AbortController();
    const widthPx = Math.max(1, canvas.clientWidth * Math.min(devicePixelRatio, DENSITY_MAX));
    const stop = whileCurrent(
      client.ask('page', { sizeBytes, number, widthPx }, control.signal),
      ({ picture, ...page }) => {
        canvas.width = picture.width;
        canvas.height = picture.height;
        canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(picture);
        setDrawn(page);
      },
      () => setDrawn('failed'),
    );
    return () => {
      stop();
      control.abort();
    };
  }, [client, sizeBytes, number, zoom, isNear]);
  useEffect(() => {
    if (isNear || !place.current) return;
    Object.assign(place.current, { width: 0, height: 0 });
    setDrawn((page) => (page === null || page === 'failed' ? null : { ...page, words: [] }));
  }, [isNear]);
  return { place, drawn };
}

/** One page of a PDF: its picture once it comes into view, and its words. */
export function PdfPage(props: PdfPageProps) {
  const { t } = useLingui();
  const { number, pageCount, ratio, scroller } = props;
  const box = useRef<HTMLElement>(null);
  const isNear = useIsNear(box, scroller);
  const { place, drawn } = useDrawnPage(props, isNear);
  const page = drawn === 'failed' ? null : drawn;
  const isPicture = isNear && page !== null && page.words.length === 0;
  return (
    <section
      ref={box}
      data-page={number}
      aria-label={t`Page ${number} of ${pageCount}`}
      className="relative mx-auto mb-4 bg-[#fff] text-[#222] shadow-pop"
      style={{
        width: `calc(min(100%, 56rem) * ${props.zoom})`,
        aspectRatio: page ? `${page.width} / ${page.height}` : `1 / ${ratio}`,
      }}
    >
      <canvas
        ref={place}
        className="absolute inset-0 size-full"
        {...(isPicture ? { role: 'img', 'aria-label': t`A picture without text` } : { 'aria-hidden': true })}
      />
      {page && page.words.length > 0 && <Words words={page.words} width={page.width} height={page.height} />}
      {drawn === 'failed' && (
        <p className="absolute inset-0 grid place-items-center p-6 text-center text-sm">
          <Trans>This page could not be drawn. Download the file to open it elsewhere.</Trans>
        </p>
      )}
    </section>
  );
}
