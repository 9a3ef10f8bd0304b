import { useLocation } from '@tanstack/react-router';
import { Suspense } from 'react';
import { FolderNotFound } from '../features/folder/folder-ends.tsx';
import { lazyPart } from '../lib/texts/lazy-part.ts';

/** Not its own route: only operators should download the operator page; others get "not found". */
const OperatorGate = lazyPart(() => import('./operator-gate.tsx'), 'OperatorGate');

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Any unknown address: the page suggests that it was a folder. */
export function NotFoundPage() {
  const path = useLocation({ select: (location) => location.pathname });
  const notFound = <FolderNotFound slug={readable(path.replace(/^\/+/, ''))} />;
  if (!/^\/operator\/?$/.test(path)) return notFound;
  return (
    <Suspense>
      <OperatorGate notFound={notFound} />
    </Suspense>
  );
}
