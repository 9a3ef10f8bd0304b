/** A rough idea of how hard a passphrase is to guess, for a hint while it is typed. It is no promise. */
export type PassphraseStrength = 'weak' | 'fair' | 'strong';

/** Attackers guess likely passphrases first: letters in words count far less than random letters. */
const BITS_OF_LETTER = 2.2;
const BITS_OF_OTHER = 4.5;
/** Behind these, guessing by the server's tries is hopeless; by Argon2id at home, costly. */
const FAIR_BITS = 30;
const STRONG_BITS = 48;

/** Whether a character continues the step of the two before it: `aaa`, `abc`, `321`. */
function isPredictable(codes: readonly number[], at: number): boolean {
  const [first, second, third] = [codes[at - 2], codes[at - 1], codes[at]];
  if (first === undefined || second === undefined || third === undefined) return false;
  const step = third - second;
  return Math.abs(step) <= 1 && second - first === step;
}

/** How hard `passphrase` is to guess, by its length and the variety of its characters. */
export function passphraseStrength(passphrase: string): PassphraseStrength {
  const characters = Array.from(passphrase.normalize('NFC').toLowerCase());
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const seen = new Map<string, number>();
  let bits = 0;
  characters.forEach((character, at) => {
    const times = seen.get(character) ?? 0;
    seen.set(character, times + 1);
    if (isPredictable(codes, at)) return;
    const worth = /\p{L}/u.test(character) ? BITS_OF_LETTER : BITS_OF_OTHER;
    // `abababab` is as easy to guess as `ab`; words repeat letters, too, but not as often.
    bits += worth / Math.max(1, times - 1);
  });
  if (bits >= STRONG_BITS) return 'strong';
  return bits >= FAIR_BITS ? 'fair' : 'weak';
}
