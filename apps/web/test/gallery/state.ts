import type { WebSettings } from '@satchel/contract/wire/web-settings';
import type { FromWorker } from '../../src/engine/uploads/upload-messages.ts';
import type { Answers } from '../given-server.ts';
import type { Hands } from './hands.ts';

/** What the page of a state is given: by the server, and by its workers. */
export interface Given {
  /** Of the page; with the key of a folder. */
  readonly address: string;
  readonly answers?: Answers;
  /** Changes to the settings of the site. */
  readonly settings?: Partial<WebSettings>;
  /** What opening a file gives, by its name. A file that is not here stays on its way. */
  readonly opened?: Readonly<Record<string, Blob>>;
  /** What the worker of an upload says, by the name of its file. */
  readonly uploads?: Readonly<Record<string, readonly FromWorker[]>>;
}

/** One screen in one state. */
export interface State {
  readonly name: string;
  readonly given: () => Given | Promise<Given>;
  /** What the page says once it is there. */
  readonly text: string | RegExp;
  /** What a person does then. */
  readonly steps?: (hands: Hands) => Promise<void>;
}

declare global {
  /** Resolves once the state that the address names is shown. */
  var galleryShown: Promise<void>;
  /** What the page waits for. */
  var galleryAwaits: () => string;
}
