/** How a card shows any picture of its file. */
export const PICTURE_LOOK =
  'size-full object-cover transition-transform duration-300 ease-out motion-safe:group-hover/card:scale-[1.03]';
