import { useNavigate, useRouter, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Not in the address, which the server sees: the files' labels hide it (docs/container.md §2). */
    directory?: string;
  }
}

/** State of the folder page in its address; every change keeps the fragment (docs/container.md §3). */
export function useFolderAddress() {
  const search = useSearch({ from: '/f/$slug' });
  const navigate = useNavigate({ from: '/f/$slug' });
  const directory = useRouterState({ select: ({ location }) => location.state.directory ?? '' });
  const { history } = useRouter();
  /** The viewer was opened by a history entry, which closing the viewer reverts. */
  const pushed = useRef(false);
  const named = useRef(search.file);
  useEffect(() => {
    named.current = search.file;
    if (search.file === undefined) pushed.current = false;
  }, [search.file]);
  const acts = useMemo(() => {
    type Search = typeof search;
    type Part = { [Name in keyof Search]: Search[Name] | undefined };
    const go = (part: Part, replace: boolean) =>
      void navigate({
        to: '.',
        search: (before: Search) => ({ ...before, ...part }) as Search,
        hash: true,
        state: true,
        replace,
        resetScroll: false,
      });
    return {
      change: (part: Part) => go(part, true),
      /** Shows a directory of the folder, as a history entry that Back reverts. */
      showDirectory: (path: string) =>
        void navigate({
          to: '.',
          search: (before: Search) => before,
          hash: true,
          state: { directory: path },
          resetScroll: false,
        }),
      /** Shows another file in the open viewer. */
      moveFile: (id: string) => go({ file: id }, true),
      /** Opens the viewer with a file, as a history entry that Back reverts; undefined closes it. */
      showFile(id: string | undefined) {
        if (id === undefined && pushed.current) {
          pushed.current = false;
          history.back();
        } else {
          // A file that is still opening replaces its entry: one step back always leads to the grid.
          const isStep = id !== undefined && named.current === undefined;
          if (isStep) pushed.current = true;
          go({ file: id }, !isStep);
        }
      },
    };
  }, [navigate, history]);
  return { search, directory, ...acts };
}

export type FolderAddress = ReturnType<typeof useFolderAddress>;
