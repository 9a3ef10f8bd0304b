import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { FolderNotFound } from '../features/folder/folder-ends.tsx';
import { importPatiently } from '../lib/patient-import.ts';

/** Here and no route of its own: nobody but operators should download a byte for it, and for others it is not found. */
const OperatorGate = lazy(async () => {
  const { OperatorGate } = await importPatiently(() => import('./operator-gate.tsx'));
  return { default: OperatorGate };
});

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Any address that is no page: the only thing it could have been is a folder (DESIGN R5). */
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
