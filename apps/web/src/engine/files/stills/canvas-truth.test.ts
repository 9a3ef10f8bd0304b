import { afterEach, expect, test, vi } from 'vitest';
import { canvasTellsTruth, isPattern } from './canvas-truth.ts';

/** A canvas that keeps what is drawn, and gives it back as `give` says. */
function stubCanvas(give: (rgba: Uint8ClampedArray) => Uint8ClampedArray): void {
  class Canvas {
    readonly #pixels: Uint8ClampedArray;
    readonly #width: number;
    constructor(width: number, height: number) {
      this.#pixels = new Uint8ClampedArray(4 * width * height);
      this.#width = width;
    }
    getContext() {
      const [pixels, width] = [this.#pixels, this.#width];
      return {
        fillStyle: '',
        fillRect(x: number, y: number) {
          const colour = this.fillStyle.match(/\d+/g)?.map(Number) ?? [];
          pixels.set([...colour, 255], 4 * (y * width + x));
        },
        getImageData: () => ({ data: give(pixels) }),
      };
    }
  }
  vi.stubGlobal('OffscreenCanvas', Canvas);
}
afterEach(() => vi.unstubAllGlobals());

test('a canvas that gives back what was drawn is believed', () => {
  stubCanvas((drawn) => drawn);
  expect(canvasTellsTruth()).toBe(true);
});

test('a browser that changes the lowest bits of a colour is believed: nobody sees it', () => {
  stubCanvas((drawn) => drawn.map((value, at) => value + (at % 3) - 1));
  expect(canvasTellsTruth()).toBe(true);
});

test.each([
  ['noise', (drawn: Uint8ClampedArray) => drawn.map((_, at) => (at * 167 + 13) % 256)],
  ['white', (drawn: Uint8ClampedArray) => drawn.map(() => 255)],
  ['nothing', (drawn: Uint8ClampedArray) => drawn.map(() => 0)],
  ['one pixel of noise', (drawn: Uint8ClampedArray) => drawn.map((value, at) => (at === 500 ? 255 - value : value))],
])('a canvas that gives %s is not', (_what, give) => {
  stubCanvas(give);
  expect(canvasTellsTruth()).toBe(false);
});

test('fewer pixels than were drawn are no answer', () => {
  expect(isPattern(new Uint8ClampedArray(0))).toBe(false);
});
