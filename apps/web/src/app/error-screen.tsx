import { Link } from '@tanstack/react-router';
import { useTitle } from '../lib/hooks.ts';
import { Button } from '../ui/button.tsx';
import { PageState } from '../ui/states.tsx';

/** What is left when a page breaks, or its code can't be loaded. */
export function ErrorScreen() {
  useTitle('Something went wrong');
  return (
    <PageState
      pose="error"
      title="Something went wrong"
      actions={
        <>
          <Button tone="primary" size="lg" onClick={() => location.reload()}>
            Try Again
          </Button>
          <Button asChild size="lg">
            <Link to="/" reloadDocument>
              Go Home
            </Link>
          </Button>
        </>
      }
    >
      This page could not be shown. Your files are not affected.
    </PageState>
  );
}
