import { describe, expect, test } from 'vitest';
import { safeFileName, storedName } from './file-name.ts';
import { cutUtf8, displayName, isSafeSegment, utf8Length } from './naming.ts';
import { hasUnseen } from './unseen.ts';

const NOW_MS = 1_700_000_000_000;

describe('stored names', () => {
  test('two files of one name never collide, and both show that name', () => {
    const [one, other] = [storedName('Übung', 'pdf', NOW_MS), storedName('Übung', 'pdf', NOW_MS)];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^Übung_1700000000000_[a-z0-9]{8}\.pdf$/);
    expect([one, other].map(displayName)).toEqual(['Übung.pdf', 'Übung.pdf']);
  });

  test('of a base of any length and characters is one safe segment', () => {
    for (const base of ['ü'.repeat(500), '👩‍🚀'.repeat(99), '..', '', 'a/b\\c\0d', ' ', '\u202egpj.exe', '\u0085']) {
      const stored = storedName(base, 'enc', NOW_MS);
      expect([isSafeSegment(stored), hasUnseen(stored)], JSON.stringify(base)).toEqual([true, false]);
    }
  });

  test('a cut inside an emoji leaves no joiner', () => {
    for (let before = 0; before < 30; before += 1) {
      const stored = storedName(`${'x'.repeat(before)}${'👩‍🚀🏴󠁧󠁢󠁥󠁮󠁧󠁿'.repeat(20)}`, 'png', NOW_MS);
      expect(hasUnseen(stored)).toBe(false);
      expect(displayName(stored)).not.toContain('\ufffd');
    }
  });

  test('a cut splits no character', () => {
    expect(cutUtf8('a👩b', 4)).toBe('a');
    expect(utf8Length(cutUtf8('ü'.repeat(200), 201))).toBe(200);
  });

  test.each([
    ['..', 'file'],
    ['', 'file'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['u\u0308', '\u00fc'],
    ['photo\u202egpj.exe', 'photo_gpj.exe'],
    ['in\u200bvoice.pdf', 'in\ufffdvoice.pdf'],
    ['\ufeff\u3164', '\ufffd\ufffd'],
    ['👩‍🚀 می‌خواهم.png', '👩‍🚀 می‌خواهم.png'],
  ])('%j becomes %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });
});
