import type { AppError } from '@satchel/contract/errors';
import { addSample, measureSpeed, type SpeedSample } from '../speed.ts';

/** How far a zip is. */

export interface ZipState {
  /** Of the zip. */
  readonly name: string;
  /** The files that go into it. */
  readonly files: readonly { readonly name: string; readonly storedBytes: number }[];
  /** How many were asked for and are not from this folder. */
  readonly leftOut: number;
  /** Whether any of them has to be decrypted. */
  readonly decrypts: boolean;
  readonly status: 'packing' | 'failed';
  /** Which file is being packed, counted from 0. */
  readonly index: number;
  /** Whole percent of the stored bytes. */
  readonly percent: number;
  /** Of the zip, so far. */
  readonly deliveredBytes: number;
  readonly bytesPerSecond: number | null;
  readonly samples: readonly SpeedSample[];
  /** Nothing has come for long. */
  readonly isWaiting: boolean;
  readonly error: AppError | null;
}

export type ZipEvent =
  | {
      readonly type: 'progress';
      readonly index: number;
      readonly fileBytes: number;
      readonly deliveredBytes: number;
      readonly isWaiting: boolean;
      readonly atMs: number;
    }
  | { readonly type: 'failed'; readonly error: AppError };

export const startZip = (zip: Pick<ZipState, 'name' | 'files' | 'leftOut' | 'decrypts'>): ZipState => ({
  ...zip,
  status: 'packing',
  index: 0,
  percent: 0,
  deliveredBytes: 0,
  bytesPerSecond: null,
  samples: [],
  isWaiting: false,
  error: null,
});

/** A file's own size is not known before it is opened, so that a file counts as much as its stored bytes. */
function percentOf({ files }: ZipState, index: number, fileBytes: number): number {
  const sum = (list: ZipState['files']) => list.reduce((total, { storedBytes }) => total + storedBytes, 0);
  const total = sum(files);
  if (total === 0) return 0;
  const present = Math.min(fileBytes, files[index]?.storedBytes ?? 0);
  return Math.floor((100 * (sum(files.slice(0, index)) + present)) / total);
}

export function nextZip(state: ZipState, event: ZipEvent): ZipState {
  if (state.status === 'failed') return state;
  if (event.type === 'failed') return { ...state, status: 'failed', error: event.error };
  const { index, fileBytes, deliveredBytes, isWaiting, atMs } = event;
  const samples = addSample(state.samples, { atMs, sentBytes: deliveredBytes });
  const { speedBytesPerSecond } = measureSpeed(samples, 0);
  const percent = percentOf(state, index, fileBytes);
  return { ...state, index, percent, deliveredBytes, samples, isWaiting, bytesPerSecond: speedBytesPerSecond };
}
