/** An empty picture, so that nothing is fetched to find out. */
const NONE = 'data:,';

/**
 * Whether this browser decodes pictures of a type. "If child has a type attribute, and its value is an unknown or unsupported
 * MIME type, continue to the next child" (HTML, updating the source set): so it chooses the other source.
 */
export async function decodesPicture(type: string): Promise<boolean> {
  const picture = document.createElement('picture');
  const source = document.createElement('source');
  const image = document.createElement('img');
  source.type = type;
  source.srcset = `${NONE}${type}`;
  picture.append(source, image);
  image.src = NONE;
  // It chooses in a microtask, and its own comes after ours would.
  await new Promise((resolve) => setTimeout(resolve));
  return image.currentSrc === source.srcset;
}

let isAvifShown = true;
let asked: Promise<void> | null = null;

/** Asks once, and before a list comes, whether this browser decodes AVIF. */
export function askForAvif(): Promise<void> {
  asked ??= decodesPicture('image/avif').then((decodes) => {
    isAvifShown = decodes;
  });
  return asked;
}

/** Whether this browser decodes AVIF. Nearly every one does, so each counts as one that does until it was asked. */
export const showsAvif = (): boolean => isAvifShown;
