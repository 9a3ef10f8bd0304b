import { expect, test } from 'vitest';
import { passphraseFaultText } from './passphrase-fault-text.ts';

test('each reason is said in words of its own', () => {
  const texts = (['short', 'repeated', 'folder_name', 'common'] as const).map(passphraseFaultText);
  expect(texts[0]).toBe('Use at least 8 characters.');
  expect(new Set(texts).size).toBe(4);
});
