import type { ComponentType } from 'react';
import type { ContentKind } from '../../../../engine/files/content-kind.ts';
import { lazyPart } from '../../../../lib/texts/lazy-part.ts';
import type { ContentProps } from './content-props.ts';

/** Contents whose code loads when one is first looked at. A kind without an entry shows name, size and type. */
export const CONTENTS: Partial<Record<ContentKind, ComponentType<ContentProps>>> = {
  text: lazyPart(() => import('./text-content.tsx'), 'TextContent'),
  code: lazyPart(() => import('./code-content.tsx'), 'CodeContent'),
  markdown: lazyPart(() => import('./markdown-content.tsx'), 'MarkdownContent'),
  table: lazyPart(() => import('./table-content.tsx'), 'TableContent'),
  pdf: lazyPart(() => import('./pdf-content.tsx'), 'PdfContent'),
  zip: lazyPart(() => import('./zip-content.tsx'), 'ZipContent'),
  rare_picture: lazyPart(() => import('./rare-picture.tsx'), 'RarePicture'),
};
