import { type NameParts, partName } from './format.ts';

/** The font of file names on cards. */
export const NAME_FONT = '500 14px "Geist Variable"';

let ruler: CanvasRenderingContext2D | null | undefined;

/** Parts a name so that what is shown of it fits `widthPx`; the whole name while there is nothing to measure with. */
export function fitName(name: string, widthPx: number): NameParts {
  if (ruler === undefined) ruler = document.createElement('canvas').getContext('2d');
  const context = ruler;
  if (!context || widthPx <= 0) return [name, '', ''];
  context.font = NAME_FONT;
  return partName(name, (text) => context.measureText(text).width <= widthPx);
}
