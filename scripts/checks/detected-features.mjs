/** For browser-needs.mjs: what the page uses only where the browser has it. */

/**
 * Features that are asked for before their use, by their paths in browser-compat-data or as `.name` of a member, with what
 * happens in a browser that has none.
 * @type {{ is: string[], without: string }[]}
 */
export const DETECTED = [
  {
    is: ['api.Window.showSaveFilePicker', '.createWritable'],
    without: 'Saved by another way of the table above',
  },
  {
    is: [
      'api.Window.showOpenFilePicker',
      'api.Window.showDirectoryPicker',
      '.getAsFileSystemHandle',
      '.showOpenFilePicker',
      '.showDirectoryPicker',
    ],
    without: 'Files are chosen by an input; after a reload an upload asks for its file',
  },
  { is: ['.webkitGetAsEntry', '.webkitRelativePath'], without: 'Directories can’t be dropped or chosen, files can' },
  {
    is: ['.addRoutes'],
    without: 'The service worker is asked for every request, and leaves all but downloads to the network',
  },
  { is: ['.createPolicy'], without: 'No Trusted Types: the policy of scripts holds without them' },
  { is: ['api.Window.requestIdleCallback'], without: 'Work that can wait waits for a timer' },
  { is: ['.yield'], without: 'Long work gives way to the page by a timer' },
  { is: ['.saveData', '.effectiveType'], without: 'Small files open unasked on a slow line, too' },
  { is: ['.prerendering'], without: 'Nothing: the page is not loaded ahead' },
  { is: ['api.Navigator.share'], without: 'No “Send with…” beside “Copy link”' },
  { is: ['.cookieEnabled'], without: 'A cookie is tried instead' },
  {
    is: [
      'api.Document.startViewTransition',
      '.updateCallbackDone',
      '.skipTransition',
      'api.Window.navigation',
      '.canIntercept',
      '.currentEntry',
    ],
    without: 'Nothing: React and the router have their own way',
  },
  { is: ['.byobRequest', '.respondWithNewView'], without: 'Stored bytes are copied once on their way to be opened' },
  { is: ['.checkVisibility'], without: 'Radix reads the style' },
  {
    is: ['javascript.builtins.Symbol.asyncDispose', '.asyncDispose', '.dispose'],
    without: 'zip.js uses a symbol of its own',
  },
];

/** Members of our own objects, or of a library's, that a browser happens to have, too. */
export const OTHERS = new Set(['.seek', '.div', '.transition']);
