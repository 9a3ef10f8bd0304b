import type { HairStyle, Look } from './personas.ts';
import type { Raster } from './raster.ts';

const SIDE = 16;

// . backdrop, h hair, s skin, e eye, m mouth, t shirt
const heads: Record<HairStyle, readonly string[]> = {
  short: [
    '................',
    '................',
    '.....hhhhhh.....',
    '....hhhhhhhh....',
    '....hhhhhhhh....',
    '....hssssssh....',
    '....ssssssss....',
    '....ssessess....',
    '....ssessess....',
  ],
  long: [
    '................',
    '................',
    '.....hhhhhh.....',
    '....hhhhhhhh....',
    '...hhhhhhhhhh...',
    '...hhsssssshh...',
    '...hsssssssshh..',
    '...hssessesshh..',
    '...hssessesshh..',
  ],
  curls: [
    '................',
    '....hh.hh.hh....',
    '...hhhhhhhhhh...',
    '..hhhhhhhhhhhh..',
    '..hhhhhhhhhhhh..',
    '...hhsssssshh...',
    '..hhsssssssshh..',
    '..hhssessesshh..',
    '..hhssessesshh..',
  ],
};
const chins: Record<HairStyle, readonly string[]> = {
  short: ['....ssssssss....', '....ssmmmmss....', '.....ssssss.....', '......ssss......'],
  long: ['...hsssssssshh..', '...hssmmmmsshh..', '...hhsssssshh...', '...hh.ssss.hh...'],
  curls: ['..hhsssssssshh..', '...hssmmmmssh...', '.....ssssss.....', '......ssss......'],
};
const shoulders = ['....tttttttt....', '...tttttttttt...', '..tttttttttttt..'];
const inks = '.hsemt*';

function paletteOf(look: Look): number[] {
  return [look.backdrop, look.hair, look.skin, 0x1d1518, 0x8c3b3b, look.shirt, 0xffe9b8];
}

function portrait(look: Look, paint: (ink: string, x: number, y: number) => string): Raster {
  const rows = [...heads[look.hair_style], ...chins[look.hair_style], ...shoulders];
  const pixels = Uint8Array.from(rows.flatMap((row, y) => [...row].map((ink, x) => inks.indexOf(paint(ink, x, y)))));
  return { width: SIDE, height: SIDE, palette: paletteOf(look), pixels };
}

export function drawPortrait(look: Look): Raster {
  return portrait(look, (ink) => ink);
}

/** Snow falls behind a face that blinks once in a round. */
export function drawPortraitFrames(look: Look): [Raster, ...Raster[]] {
  const frame = (step: number) =>
    portrait(look, (ink, x, y) => {
      if (ink === 'e' && step === 5) return 's';
      return ink === '.' && (x * 5 + (y - step + SIDE) * 3) % SIDE === 0 ? '*' : ink;
    });
  return [frame(0), ...Array.from({ length: 7 }, (_, step) => frame(step + 1))];
}

const defaultBackdrops = [0x5865f2, 0x757e8a, 0x3ba55c, 0xfaa61a, 0xed4245, 0xeb459f];
export const defaultAvatarCount = defaultBackdrops.length;

const defaultFace = [
  '................',
  '................',
  '................',
  '....oooooooo....',
  '...oooooooooo...',
  '..oooooooooooo..',
  '..ooo..oo..ooo..',
  '..ooo..oo..ooo..',
  '..oooooooooooo..',
  '..oooooooooooo..',
  '..ooo......ooo..',
  '...oooo..oooo...',
  '....oooooooo....',
  '................',
  '................',
  '................',
];

/** What stands in for an avatar that nobody set. */
export function drawDefaultAvatar(index: number): Raster {
  const pixels = Uint8Array.from(defaultFace.join(''), (ink) => (ink === 'o' ? 1 : 0));
  return { width: SIDE, height: SIDE, palette: [defaultBackdrops[index] ?? 0, 0xffffff], pixels };
}

function shade(colour: number, share: number): number {
  const mix = (shift: number) => Math.round(((colour >> shift) & 255) * share) << shift;
  return mix(16) | mix(8) | mix(0);
}

/** Four ranges of hills in the accent colour, the nearest darkest. */
export function drawBanner(accentColour: number): Raster {
  const width = 40;
  const height = 16;
  const pixels = new Uint8Array(width * height);
  for (let x = 0; x < width; x++) {
    const crests = [1, 2, 3, 4].map((range) => range * 3 + Math.round(2 * Math.sin(x / (1.5 + range) + range * 2)));
    for (let y = 0; y < height; y++) pixels[y * width + x] = crests.filter((crest) => y >= crest).length;
  }
  return { width, height, palette: [1, 0.84, 0.68, 0.52, 0.36].map((share) => shade(accentColour, share)), pixels };
}
