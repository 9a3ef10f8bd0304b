import { Trans } from '@lingui/react/macro';
import { Button } from '../../../../ui/base/button.tsx';
import { CodeContent } from './code-content.tsx';
import type { ContentProps } from './content-props.ts';
import { Warning } from './content-states.tsx';

/** A drawing that would stop the page: its text, and a way to draw it all the same. */
export function HeavyDrawing(props: ContentProps) {
  const note = (
    <Warning>
      <div className="grid justify-items-start gap-3">
        <Trans>This drawing has so many parts that this page would stop while it is drawn. This is its text.</Trans>
        <Button onClick={props.onDraw}>
          <Trans>Draw it all the same</Trans>
        </Button>
      </div>
    </Warning>
  );
  return <CodeContent {...props} note={note} />;
}
