import { useLingui } from '@lingui/react/macro';
import { Moon, Sun } from 'lucide-react';
import { Suspense, type ToggleEvent, useId, useState } from 'react';
import { useTheme } from '../lib/base/theme.ts';
import { useLanguage } from '../lib/texts/language.ts';
import { lazyPart } from '../lib/texts/lazy-part.ts';
import { Button } from '../ui/base/button.tsx';

const DisplayPanel = lazyPart(() => import('../ui/display-panel.tsx'), 'DisplayPanel', 'common');

/** Theme and language, on every page. The browser's own popover: Escape and a click outside close it. */
export function DisplayOptions() {
  const { t } = useLingui();
  const id = useId();
  const language = useLanguage();
  const [wanted, setWanted] = useState(false);
  const Icon = useTheme() === 'dark' ? Moon : Sun;
  const want = () => setWanted(true);
  return (
    <>
      <Button
        tone="ghost"
        popoverTarget={id}
        title={t`Theme and language`}
        onPointerEnter={want}
        onFocus={want}
        className="gap-1.5 px-2.5 text-xs"
      >
        <Icon size={18} strokeWidth={1.75} aria-hidden />
        <span className="uppercase">{language}</span>
        <span className="sr-only">{t`Theme and language`}</span>
      </Button>
      <div
        id={id}
        popover="auto"
        onBeforeToggle={(event: ToggleEvent<HTMLDivElement>) => event.newState === 'open' && want()}
        className="anchored panel min-h-82 w-52 max-sm:min-h-89 pointer-coarse:min-h-89 rounded-card bg-surface px-2 py-3 text-ink shadow-pop"
      >
        {wanted && (
          <Suspense>
            <DisplayPanel />
          </Suspense>
        )}
      </div>
    </>
  );
}
