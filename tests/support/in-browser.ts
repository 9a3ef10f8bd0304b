import { Buffer } from 'buffer/';

/** The real one, also while a test has its own clock. */
const later = setTimeout;

/** What the client's tests take from Node besides modules, for their runs in a browser. */
Object.assign(globalThis, {
  Buffer,
  setImmediate: (act: () => void) => later(act, 0),
});
