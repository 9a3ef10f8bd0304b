import { expect, test } from 'vitest';

import { COMMON_PASSPHRASES, passphraseFault } from './passphrase-fault.ts';

test.each([
  ['', 'missing'],
  ['  \t ', 'missing'],
  ['lantern', 'short'],
  ['  seven77  ', 'short'],
  ['🦆🦆🦆🦆', 'short'],
  // Eight characters as they are typed on some keyboards, seven as they are used.
  ['grünes!'.normalize('NFD'), 'short'],
  ['aaaaaaaaaaaa', 'repeated'],
  ['🦆'.repeat(8), 'repeated'],
  ['Saturday Raid', 'folder_name'],
  ['  saturday raid', 'folder_name'],
  ['password', 'common'],
  ['PassWord1', 'common'],
  [' iloveyou ', 'common'],
  ['1q2w3e4r5t', 'common'],
  ['lanterns', null],
  ['four brass lanterns', null],
  ['grüne Wolke', null],
  ['saturday raid night', null],
])('%j is %s', (passphrase, fault) => {
  expect(passphraseFault(passphrase, 'Saturday raid')).toBe(fault);
});

test('a name is the same however its letters are composed, and a folder may have none', () => {
  expect(passphraseFault('Größenwahn'.normalize('NFD'), 'Größenwahn'.normalize('NFC'))).toBe('folder_name');
  expect(passphraseFault('Größenwahn', null)).toBeNull();
});

test('the list holds what length and repetition do not refuse, in the form in which it is compared', () => {
  expect(COMMON_PASSPHRASES.size).toBeGreaterThanOrEqual(200);
  for (const passphrase of COMMON_PASSPHRASES) {
    expect(passphrase).toBe(passphrase.normalize('NFC').toLowerCase().trim());
    expect(passphraseFault(passphrase, null)).toBe('common');
  }
});
