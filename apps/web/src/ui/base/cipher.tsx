import { memo } from 'react';
import { cx } from '../../lib/base/class-names.ts';
import { seededHex } from './seeded.ts';

interface CipherProps {
  seed: string;
  chars?: number;
  /** Peels the bytes off once. */
  leaving?: boolean;
}

/**
 * What the server stores, shown as what it is: bytes. Generated content, so that it is not read out, selected or found
 * by Ctrl F.
 */
export const Cipher = memo(function Cipher({ seed, chars = 620, leaving = false }: CipherProps) {
  const text = seededHex(seed, chars).replace(/(..)/g, '$1 ');
  return (
    <div
      aria-hidden="true"
      data-hex={text}
      className={cx(
        'cipher pointer-events-none absolute inset-0 overflow-hidden bg-sunken px-2.5 py-2 before:content-[attr(data-hex)]',
        leaving && 'animate-unseal',
      )}
    />
  );
});
