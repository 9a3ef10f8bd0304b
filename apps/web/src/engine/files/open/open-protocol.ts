import type { OpenedContent, OpenProgress } from '@satchel/client/open/open-file';
import type { WireError } from '@satchel/contract/errors';

/** Messages from an open worker, which is sent an `OpenRequest`. */
export type OpenReply =
  | { readonly type: 'progress'; readonly progress: OpenProgress }
  | { readonly type: 'opened'; readonly content: OpenedContent }
  | { readonly type: 'failed'; readonly error: WireError };
