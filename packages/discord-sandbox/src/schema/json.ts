/** Looks into a value of unknown shape: what is not there is empty, since its absence is the schema's to tell. */

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : []);

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Neither absent nor null, which says the same to Discord. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Characters as they are counted in limits. */
export const lengthOf = (text: string): number => [...text].length;

/** Values that are in a list more than once. */
export const repeatedIn = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, at) => values.indexOf(value) !== at)),
];
