import { extensionOf } from '@satchel/contract/naming';
import { showsAvif } from './content/decodes-picture.ts';
import { isAvif, isHeic, isUntyped } from './picture-type.ts';

/**
 * How the viewer opens a file: 'whole' before it is shown (a large one streams), by 'ranges' of it as they are looked at, or
 * only when its content asks for it ('itself'). Asked of every file of a list, so without the tables of
 * @satchel/client/open/render-type.
 */
export type OpeningWay = 'whole' | 'ranges' | 'itself';

export function openingWay(name: string, type: string): OpeningWay {
  if (isHeic(name, type) || (isAvif(name, type) && !showsAvif())) return 'itself';
  const isZip = extensionOf(name) === 'zip' && (isUntyped(type) || /^application\/[\w.-]*zip/.test(type));
  return isZip ? 'ranges' : 'whole';
}
