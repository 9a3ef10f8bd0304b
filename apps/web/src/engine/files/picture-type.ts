import { extensionOf } from '@satchel/contract/naming';

/**
 * Whether a file is one that {@link renderType} shows as a picture, by its name and its own type alike. Asked of every file of
 * a list, so without the tables of engine/files/render-type, which load with the first file that is opened.
 */
const PICTURE = /^(png|jpe?g|gif|webp|avif|bmp|ico|svg)$/;
const PICTURE_TYPE = /^image\/(png|jpe?g|gif|webp|avif|bmp|x-ms-bmp|x-icon|vnd\.microsoft\.icon|svg\+xml)\s*(;|$)/;

export const isPicture = (name: string, type: string): boolean =>
  PICTURE_TYPE.test(type.toLowerCase().trim()) || PICTURE.test(extensionOf(name));
