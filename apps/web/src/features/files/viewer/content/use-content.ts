import type { RangeReader } from '@satchel/client/open/read-range';
import { watchStandstill } from '@satchel/client/open/standstill';
import { useEffect, useState } from 'react';
import { type ContentClient, ContentError, openContent } from '../../../../engine/files/content/content-client.ts';
import { whileCurrent } from '../../../../lib/browser/while-current.ts';
import type { ContentProps } from './content-props.ts';

/** What of a file is shown, once it is here, or why it is not. */
export type Outcome<T> =
  | { readonly state: 'loading' }
  /** On its way, but nothing has come for long. */
  | { readonly state: 'waiting' }
  | { readonly state: 'shown'; readonly value: T; readonly client: ContentClient }
  | { readonly state: 'failed'; readonly fault: ContentError['fault'] };

export interface Content<T> {
  readonly outcome: Outcome<T>;
  readonly retry: () => void;
}

const LOADING = { state: 'loading' } as const;
const WAITING = { state: 'waiting' } as const;

const faultOf = (error: unknown): ContentError['fault'] => {
  if (error instanceof ContentError) return error.fault;
  return error instanceof TypeError ? 'unreadable' : 'unread';
};

/**
 * Reads a file's content once the file is open, with its own worker that ends with the content.
 * @param load must not change with what the component shows
 */
export function useContent<T>(
  { opened, read }: Pick<ContentProps, 'opened' | 'read'>,
  load: (client: ContentClient, read: RangeReader) => Promise<T>,
): Content<T> {
  const [outcome, setOutcome] = useState<Outcome<T>>(LOADING);
  const [tries, setTries] = useState(0);
  const isOpen = opened !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try reads again
  useEffect(() => {
    setOutcome(LOADING);
    if (!isOpen) return;
    const watch = watchStandstill(() => setOutcome(WAITING));
    let isComing = true;
    const watchedRead: RangeReader = async (...range) => {
      const bytes = await read(...range);
      if (isComing) {
        watch.touch();
        setOutcome(LOADING);
      }
      return bytes;
    };
    const end = () => {
      isComing = false;
      watch.stop();
    };
    const client = openContent(watchedRead);
    const stop = whileCurrent(
      load(client, watchedRead).finally(end),
      (value) => setOutcome({ state: 'shown', value, client }),
      (error) => setOutcome({ state: 'failed', fault: faultOf(error) }),
    );
    return () => {
      end();
      stop();
      client.end();
    };
  }, [read, isOpen, load, tries]);
  return { outcome, retry: () => setTries((count) => count + 1) };
}
