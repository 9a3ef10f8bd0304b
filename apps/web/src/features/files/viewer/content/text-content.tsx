import type { ContentProps } from './content-props.ts';
import { TextView, useTextLabel } from './text-view.tsx';

const parse = () => null;

/** A text. */
export function TextContent(props: ContentProps) {
  return (
    <TextView view={props} label={useTextLabel(props.file.name)} parse={parse}>
      {() => null}
    </TextView>
  );
}
