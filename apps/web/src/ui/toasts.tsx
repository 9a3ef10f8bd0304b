import { useLingui } from '@lingui/react';
import { useEffect } from 'react';
import { Toaster, toast } from 'sonner';
// vite.config.ts takes the library's own, nonce-less injection of this sheet away.
import sheet from 'sonner/dist/styles.css?url';
import { useMedia, useStore } from '../lib/base/page-hooks.ts';
import { useTheme } from '../lib/base/theme.ts';
import { queuedToasts, takeToasts } from '../lib/base/toast.ts';

const look = { background: 'var(--surface)', color: 'var(--ink)', border: '0', boxShadow: 'var(--shadow-2)' };

function Words({ say }: { say: () => string }) {
  // Says it again when the language changes.
  useLingui();
  return <>{say()}</>;
}

export function Toasts() {
  const theme = useTheme();
  const narrow = useMedia('(width < 640px)');
  const queued = useStore(queuedToasts);
  useEffect(() => {
    if (queued.length === 0) return;
    for (const { text, kind } of takeToasts()) toast[kind](<Words say={text} />);
  }, [queued]);
  return (
    <>
      {/* React shows the toasts once it is there. */}
      <link rel="stylesheet" href={sheet} precedence="default" />
      <Toaster
        theme={theme}
        position={narrow ? 'top-center' : 'bottom-right'}
        style={{ fontFamily: 'var(--font-sans)' }}
        toastOptions={{ style: look }}
      />
    </>
  );
}
