import type { RangeReader } from '@satchel/client/open/read-range';
import type { FileItem } from '../../../../engine/files/file-model.ts';
import type { OpenedFile } from '../../../../engine/files/open/open-client.ts';
import type { MediaSize } from '../viewer-view.ts';

/** What the viewer gives to a content. */
export interface ContentProps {
  readonly file: FileItem;
  /** Null until a file that opens 'itself' (engine/files/opening-way) has been asked for. */
  readonly opened: OpenedFile | null;
  /** Reads any part of the file, of one that is not whole in memory, too. */
  readonly read: RangeReader;
  /** Fetches and opens the file. */
  readonly onOpen: () => void;
  /** Draws a drawing that may stop the page. */
  readonly onDraw: () => void;
  /** The content is not what it says, or this browser can't show it. */
  readonly onFailed: () => void;
  /** Width and height, for the viewer's header. */
  readonly onSize: (size: MediaSize) => void;
}
