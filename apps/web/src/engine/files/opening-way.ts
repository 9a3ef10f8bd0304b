/**
 * How the viewer opens a file: 'whole' before it is shown (a large one streams), by 'ranges' of it as they are looked at, or
 * only when its content asks for it ('itself'). Asked of every file of a list, so without the tables of
 * engine/files/render-type.
 */
export type OpeningWay = 'whole' | 'ranges' | 'itself';

export const openingWay = (_name: string, _type: string): OpeningWay => 'whole';
