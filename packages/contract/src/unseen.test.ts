import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dropUnseen, hasUnseen, showUnseen } from './unseen.ts';

const flag = (letters: string) =>
  `\u{1f3f4}${[...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`;

describe('a name may have', () => {
  test.each([
    ['plain letters and marks', 'Übung – 3 (Kopie).pdf'],
    ['a family of emoji', '👩‍👩‍👧‍👦.png'],
    ['an emoji of a colour and a work', '👩🏽‍🚀 🧑🏿‍🤝‍🧑🏻'],
    ['a heart that burns', '❤️‍🔥'],
    ['a flag with a rainbow', '🏳️‍🌈 🏴‍☠️ 🏳️‍⚧️'],
    ['signs as text and as emoji', '☎︎ ☎️ ©️'],
    ['keycaps', '1️⃣ #️⃣ *️⃣'],
    ['the flags of England, Scotland and Wales', ['gbeng', 'gbsct', 'gbwls'].map(flag).join(' ')],
    ['flags of countries', '🇩🇪🇮🇷'],
    ['Persian with joiners', 'می‌خواهم کتاب‌ها.docx'],
    ['Arabic with its vowel signs', 'مُحَ‌مَّد'],
    ['Hindi', 'क्‍ष क्‌ष'],
    ['Bengali', 'র‍্যাব ত্‍'],
    ['Malayalam at the end of a word', 'അവന്‍.txt'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Khmer and Myanmar', 'ខ្មែរ မြန်မာ'],
    ['Japanese names with variants', '葛\u{e0100}城 辻󠄀'],
    ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠠ᠋'],
    ['mathematics', '∩︀'],
    ['Korean, Thai and Hebrew', '한국어 ไทย שָׁלוֹם'],
    ['blanks of other scripts', '日本　語\u00a0x'],
  ])('%s', (_name, text) => {
    expect([hasUnseen(text), showUnseen(text), dropUnseen(text)]).toEqual([false, text, text]);
  });
});

describe('no name may have', () => {
  test.each([
    ['a soft hyphen', 'in\u00advoice', 'in\ufffdvoice'],
    ['a zero-width space', 'in\u200bvoice', 'in\ufffdvoice'],
    ['a word joiner', 'in\u2060voice', 'in\ufffdvoice'],
    ['a byte order mark', '\ufeffinvoice', '\ufffdinvoice'],
    ['a grapheme joiner', 'a\u034fb', 'a\ufffdb'],
    ['a Mongolian vowel separator', 'ᠠ\u180eᠠ', 'ᠠ\ufffdᠠ'],
    ['Hangul fillers', '\u3164\u115f\u1160\uffa0', '\ufffd'.repeat(4)],
    ['Khmer vowels that are not written', 'ក\u17b4\u17b5', 'ក\ufffd\ufffd'],
    ['invisible operators', '2\u2062x\u2063y', '2\ufffdx\ufffdy'],
    ['marks and overrides of direction', '\u200e\u200f\u061c\u202e\u2066', '\ufffd'.repeat(5)],
    ['separators of lines', 'a\u2028b\u2029c', 'a\ufffdb\ufffdc'],
    ['annotations', 'a\ufff9b\ufffac\ufffb', 'a\ufffdb\ufffdc\ufffd'],
    ['text in tags', `a${flag('evil').slice(2)}b`, `a${'\ufffd'.repeat(5)}b`],
    ['a flag of another place', flag('usca'), `\u{1f3f4}${'\ufffd'.repeat(5)}`],
    ['a flag with more in it', flag('gbengx'), `\u{1f3f4}${'\ufffd'.repeat(7)}`],
    ['a flag without its end', flag('gbsct').slice(0, -2), `\u{1f3f4}${'\ufffd'.repeat(5)}`],
    ['a tag alone', '\u{e0001}a\u{e007f}', '\ufffda\ufffd'],
    ['a joiner between Latin letters', 'pay\u200dpal pay\u200cpal', 'pay\ufffdpal pay\ufffdpal'],
    ['a joiner between Latin and Persian', 'a\u200cم', 'a\ufffdم'],
    ['two joiners', 'می\u200c\u200cخ', 'می\ufffd\ufffdخ'],
    ['a joiner at the end or the beginning', '\u200dمی\u200c', '\ufffdمی\ufffd'],
    ['a joiner beside one emoji only', '👩\u200d 👩\u200da \u200d👩', '👩\ufffd 👩\ufffda \ufffd👩'],
    ['a variation of a letter or a digit', 'a\ufe0f1\ufe0fb\ufe00', 'a\ufffd1\ufffdb\ufffd'],
    ['two variations of an emoji', '☎\ufe0f\ufe0f', '☎\ufe0f\ufffd'],
    ['a variant of a Latin letter', 'a\u{e0100}', 'a\ufffd'],
    ['musical signs that do not show', 'a\u{1d173}b', 'a\ufffdb'],
  ])('%s', (_name, text, shown) => {
    expect([hasUnseen(text), showUnseen(text), dropUnseen(text)]).toEqual([
      true,
      shown,
      shown.replaceAll('\ufffd', ''),
    ]);
  });
});

const PIECES = [
  ...['a', '1', '#', '\u20e3', '👩', '☎', '\u{1f3fd}', '\u{1f8ff}', '\u200d', '\u200c', '\ufe0e', '\ufe0f', '\ufe00'],
  ...[
    'م',
    '\u064b',
    'क',
    '\u094d',
    'ន',
    '\u17b4',
    '葛',
    '\u{e0100}',
    'ᠠ',
    '\u180b',
    '\u180f',
    '∩',
    '\u200b',
    '\u034f',
    '\ufeff',
  ],
  ...['\u{1f3f4}', flag('gbeng'), flag('gbeng').slice(2), '\u{e0067}', '\u{e007f}', '\u3164', '\u2028', '\u202e'],
];

test('replacing or dropping leaves nothing unseen, in any surroundings', () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      for (const clean of [showUnseen(text), dropUnseen(text)]) expect(hasUnseen(clean)).toBe(false);
    }),
    { numRuns: 20_000 },
  );
});

test('each default-ignorable character of Unicode is unseen by itself', () => {
  for (let code = 0; code < 0x110000; code += 1) {
    const character = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
    if (/^\p{Default_Ignorable_Code_Point}$/u.test(character))
      expect([code, hasUnseen(`a${character}b`)]).toEqual([code, true]);
    else if (code < 0x2000) expect([code, hasUnseen(`a${character}b`)]).toEqual([code, false]);
  }
});

test('each emoji of Unicode may be joined to another and shown as a picture', () => {
  for (let code = 0x80; code < 0x110000; code += 1) {
    const character = code >= 0xd800 && code <= 0xdfff ? '' : String.fromCodePoint(code);
    const isPicture = /^\p{Extended_Pictographic}$/u.test(character);
    if (isPicture) expect([code, hasUnseen(`a${character}\u200d${character}`)]).toEqual([code, false]);
    if (isPicture || /^\p{Emoji}$/u.test(character))
      expect([code, hasUnseen(`a${character}\ufe0f`)]).toEqual([code, false]);
  }
});
