import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { type KeyboardEvent, useId, useState } from 'react';
import { useWidth } from '../../lib/browser/hooks.ts';
import { localDay, localDayTime, localTime } from '../../lib/figures/format.ts';
import { type Column, type Columns, ceilingOf, labelledColumns, nextReading, startOf } from './chart-model.ts';

/** The two series differ from each other and from the background in Windows' high contrast, too. */
const BAR_LOOKS = {
  views: 'fill-graph forced-colors:fill-[CanvasText]',
  downloads: 'fill-info forced-colors:fill-[Highlight]',
} as const;

const HEIGHT = 200;
const PAD = { right: 4, top: 10, bottom: 26 };
/** Width of a digit of the labels at the left, and the space around them. */
const DIGIT_PX = 7.5;
const NUMBER_PAD_PX = 18;
/** Also leaves half of the first time label's width to the left of the columns. */
const LEFT_MIN_PX = 30;
const BASE = HEIGHT - PAD.bottom;
const BAR_MAX = 9;
const BAR_GAP = 2;
/** Fits `12:00 PM` and half of the next label. */
const LABEL_PX = 80;

interface Scale {
  readonly widthPx: number;
  /** Left edge of the columns. */
  readonly left: number;
  /** Width of a column. */
  readonly step: number;
  readonly top: number;
  readonly x: (at: number) => number;
  readonly y: (count: number) => number;
}

const numberText = (count: number): string => i18n.number(count);

function scaleOf({ past, total }: Columns, widthPx: number): Scale {
  const top = ceilingOf(past);
  const left = Math.max(LEFT_MIN_PX, DIGIT_PX * numberText(top).length + NUMBER_PAD_PX);
  const step = (widthPx - left - PAD.right) / total;
  return {
    widthPx,
    left,
    step,
    top,
    x: (at) => left + step * at,
    y: (count) => PAD.top + (BASE - PAD.top) * (1 - count / top),
  };
}

function Grid({ widthPx, left, top, y }: Scale) {
  return [0, top / 2, top].map((count) => (
    <g key={count}>
      <line
        x1={left}
        x2={widthPx - PAD.right}
        y1={y(count)}
        y2={y(count)}
        stroke="var(--line)"
        strokeDasharray={count > 0 ? '2 5' : undefined}
        strokeLinecap="round"
      />
      <text x={left - 8} y={y(count) + 4} textAnchor="end" fill="currentColor">
        {numberText(count)}
      </text>
    </g>
  ));
}

/** Hours in the future. */
function Future({ from, scale }: { from: number; scale: Scale }) {
  const id = useId();
  const width = scale.widthPx - PAD.right - scale.x(from);
  if (width <= 0) return null;
  return (
    <>
      <defs>
        <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <path d="M0 0v6" stroke="var(--line)" strokeWidth="2" />
        </pattern>
      </defs>
      <rect
        x={scale.x(from)}
        y={PAD.top}
        width={width}
        height={BASE - PAD.top}
        fill={`url(#${id})`}
        opacity="0.55"
        data-future
      />
    </>
  );
}

interface BarsProps {
  column: Column;
  at: number;
  scale: Scale;
  isRead: boolean;
  onRead: (at: number) => void;
}

function Bars({ column, at, scale, isRead, onRead }: BarsProps) {
  const { step, x, y } = scale;
  const width = Math.min(BAR_MAX, step * 0.32);
  const left = x(at) + (step - width * 2 - BAR_GAP) / 2;
  const bars = [
    { left, count: column.views, look: BAR_LOOKS.views },
    { left: left + width + BAR_GAP, count: column.downloads, look: BAR_LOOKS.downloads },
  ];
  return (
    <g onPointerEnter={() => onRead(at)}>
      <rect
        x={x(at)}
        y={PAD.top}
        width={step}
        height={BASE - PAD.top}
        rx="4"
        fill={isRead ? 'var(--raised)' : 'transparent'}
      />
      {bars
        .filter(({ count }) => count > 0)
        .map((bar) => (
          <rect
            key={bar.look}
            x={bar.left}
            y={y(bar.count)}
            width={width}
            height={BASE - y(bar.count)}
            rx={Math.min(3, width / 2)}
            className={bar.look}
          />
        ))}
    </g>
  );
}

function Axis({ columns, scale }: { columns: Columns; scale: Scale }) {
  const label = columns.hoursEach < 24 && columns.total * columns.hoursEach <= 49 ? localTime : localDay;
  return labelledColumns(columns.total, scale.step, LABEL_PX).map((at) => {
    // Near the edge, half of the label would be cut off.
    const isLast = scale.x(at) + LABEL_PX / 2 > scale.widthPx;
    return (
      <text
        key={at}
        x={isLast ? scale.widthPx : scale.x(at)}
        y={HEIGHT - 7}
        textAnchor={isLast ? 'end' : 'middle'}
        fill="currentColor"
      >
        {label(startOf(columns, at))}
      </text>
    );
  });
}

/** Tooltip of the selected column, on the side that has space. */
function Tooltip({ column, at, scale }: { column: Column; at: number; scale: Scale }) {
  const { step, x, widthPx } = scale;
  const side = x(at) > widthPx / 2 ? { right: widthPx - x(at) + 6 } : { left: x(at) + step + 6 };
  return (
    <p
      aria-hidden="true"
      className="pointer-events-none absolute top-1 z-10 rounded-chip bg-ink px-2.5 py-1.5 text-2xs text-canvas shadow-pop tabular"
      style={side}
    >
      {readingText(column)}
    </p>
  );
}

/** `20 Nov, 06:00: 26 views, 14 downloads`. */
function readingText({ startMs, views, downloads }: Column): string {
  const when = localDayTime(startMs);
  return t`${when}: ${plural(views, { one: '# view', other: '# views' })}, ${plural(downloads, { one: '# download', other: '# downloads' })}`;
}

function useReading(count: number) {
  const [at, setAt] = useState<number>();
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextReading(event.key, at, count);
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
  };
  return { at, read: setAt, onKeyDown, stop: () => setAt(undefined) };
}

/** Chart of views and downloads by the hour; arrow keys read it column by column. */
export function ActivityChart({ columns }: { columns: Columns }) {
  const { t } = useLingui();
  const [box, widthPx] = useWidth<HTMLDivElement>();
  const { at, read, onKeyDown, stop } = useReading(columns.past.length);
  const scale = scaleOf(columns, widthPx);
  const shown = at === undefined ? undefined : columns.past[at];
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-roledescription={t`chart`}
      aria-label={t`Activity over time. The arrow keys read it step by step.`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, columns.past.length - 1)}
      aria-valuenow={at ?? 0}
      aria-valuetext={shown ? readingText(shown) : t`Nothing is read yet`}
      onKeyDown={onKeyDown}
      onPointerLeave={stop}
      onBlur={stop}
      className="relative min-h-50 rounded-control text-subtle focus-visible:rounded-control"
    >
      {widthPx > 0 && (
        <svg width={widthPx} height={HEIGHT} aria-hidden="true" className="block text-2xs tabular">
          <Grid {...scale} />
          <Future from={columns.past.length} scale={scale} />
          {columns.past.map((column, index) => (
            <Bars key={column.startMs} column={column} at={index} scale={scale} isRead={index === at} onRead={read} />
          ))}
          <Axis columns={columns} scale={scale} />
        </svg>
      )}
      {shown && at !== undefined && <Tooltip column={shown} at={at} scale={scale} />}
    </div>
  );
}
