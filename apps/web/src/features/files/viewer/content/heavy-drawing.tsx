import { Trans } from '@lingui/react/macro';
import { TriangleAlert } from 'lucide-react';
import { Button } from '../../../../ui/base/button.tsx';
import { Banner } from '../../../../ui/states/banner.tsx';
import { CodeContent } from './code-content.tsx';
import type { ContentProps } from './content-props.ts';

/** A drawing that would stop the page: its text, and a way to draw it all the same. */
export function HeavyDrawing(props: ContentProps) {
  const note = (
    <Banner
      tone="warning"
      icon={<TriangleAlert size={18} aria-hidden className="shrink-0 text-warning" />}
      className="mx-auto mb-3 max-w-4xl"
    >
      <div className="grid justify-items-start gap-3">
        <Trans>This drawing has so many parts that this page would stop while it is drawn. This is its text.</Trans>
        <Button onClick={props.onDraw}>
          <Trans>Draw it all the same</Trans>
        </Button>
      </div>
    </Banner>
  );
  return <CodeContent {...props} note={note} />;
}
