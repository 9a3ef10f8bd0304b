import { useLocation } from '@tanstack/react-router';
import { FolderNotFound } from '../features/folder/folder-states.tsx';

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
  return <FolderNotFound slug={readable(path.replace(/^\/+/, ''))} />;
}
