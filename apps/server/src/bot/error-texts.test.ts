import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { sentenceOf } from './error-texts.ts';
import { LANGUAGES } from './language.ts';

const tooMany = (max: number) => new AppError('folder.too_many', { max });

test.each(LANGUAGES)('an account that may have one folder reads of one, in %s', (language) => {
  const one = sentenceOf(tooMany(1), language);
  expect(one).not.toMatch(/\b(1|folders|carpetas|dossiers)\b/);
  expect(one).toContain('/delete');
  expect(sentenceOf(tooMany(3), language)).toContain(' 3 ');
});
