/** Paths of a device's sign-in, and the code that a person types (RFC 8628 §6.1): apart from the schemas, and from what other pages load. */

export const DEVICE_PATHS = {
  codes: '/auth/v1/device',
  find: '/auth/v1/device/find',
  decide: '/auth/v1/device/decide',
  token: '/auth/v1/token',
} as const;
/** The page on which a person lets a device in: after the # it takes the code. */
export const DEVICE_PAGE = '/device';

/** RFC 8628 §6.1: no vowels, "to avoid randomly creating words". */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const HALF = 4;
export const USER_CODE_LENGTH = 2 * HALF;

/** As it is shown: two halves with a hyphen. */
export const showUserCode = (letters: string): string => `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;

/**
 * The code that a person means by what they typed. RFC 8628 §6.1: "the user's input should be uppercased before a
 * comparison" and "further stripping of all characters outside the chosen character set is recommended".
 * @returns null for what can't be a code
 */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replace(new RegExp(`[^${USER_CODE_LETTERS}]`, 'g'), '');
  return letters.length === USER_CODE_LENGTH ? showUserCode(letters) : null;
}
