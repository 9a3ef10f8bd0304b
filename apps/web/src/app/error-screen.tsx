import { Link } from '@tanstack/react-router';
import { useTitle } from '../lib/hooks.ts';
import { Button } from '../ui/button.tsx';
import { Mark } from '../ui/mark.tsx';

/** What is left when a page breaks, or its code can't be loaded; so it needs no code of its own. */
export function ErrorScreen() {
  useTitle('Something went wrong');
  return (
    <div className="wrap grid min-h-[calc(100dvh-15rem)] place-items-center py-14">
      <div className="max-w-md text-center">
        <Mark sizePx={72} className="mx-auto" />
        <h1 className="display mt-6 text-2xl">Something went wrong</h1>
        <p className="mt-3 text-sm text-muted">This page could not be shown. Your files are not affected.</p>
        <div className="mt-8 flex flex-col justify-center gap-2.5 sm:flex-row">
          <Button tone="primary" size="lg" onClick={() => location.reload()}>
            Try Again
          </Button>
          <Button asChild size="lg">
            <Link to="/" reloadDocument>
              Go Home
            </Link>
          </Button>
        </div>
      </div>
    </div>
  );
}
