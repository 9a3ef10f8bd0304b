import { extensionOf } from '@satchel/contract/naming';

/**
 * Whether a file is one that {@link renderType} shows as a picture, by its name and its own type alike. Asked of every file of
 * a list, so without the tables of @satchel/client/open/render-type, which load with the first file that is opened.
 */
const PICTURE = /^(png|jpe?g|gif|webp|avif|hei[cf]|bmp|ico|svg)$/;
const PICTURE_TYPE =
  /^image\/(png|jpe?g|gif|webp|avif|hei[cf](?:-sequence)?|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)\s*(;|$)/;

const HEIC_TYPE = /^image\/hei[cf](-sequence)?\s*(;|$)/;

/** A photograph as telephones take it, which not every browser decodes. Systems that don't know its type give none. */
export const isHeic = (name: string, type: string): boolean =>
  HEIC_TYPE.test(type.toLowerCase().trim()) || (isUntyped(type) && /^hei[cf]$/.test(extensionOf(name)));

const AVIF_TYPE = /^image\/avif\s*(;|$)/;

export const isAvif = (name: string, type: string): boolean =>
  AVIF_TYPE.test(type.toLowerCase().trim()) || (isUntyped(type) && extensionOf(name) === 'avif');

/** Whether its type says nothing about a file. */
export const isUntyped = (type: string): boolean => /^(application\/octet-stream)?$/.test(type.trim());

export const isPicture = (name: string, type: string): boolean =>
  PICTURE_TYPE.test(type.toLowerCase().trim()) || PICTURE.test(extensionOf(name));
