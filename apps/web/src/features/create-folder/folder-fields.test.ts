import { AppError } from '@satchel/contract/errors';
import { expect, test } from 'vitest';
import { fieldOf } from './folder-fields.ts';

test.each([
  [
    new AppError('request.invalid', { message: 'folder_name: Too big: expected string to have <=80 characters' }),
    'name',
  ],
  [new AppError('request.invalid', { message: 'folder_description: has characters that no text has' }), 'description'],
  [new AppError('request.invalid', { message: 'expires_in_hours: Too small' }), 'lifetime'],
  [new AppError('folder.lifetime', { hours: 24 }), 'lifetime'],
  [new AppError('key.passphrase_failed'), 'passphrase'],
  [new AppError('request.invalid', { message: 'malformed' }), null],
  [new AppError('auth.required'), null],
])('%s shows at the field %s', (error, field) => {
  expect(fieldOf(error)).toBe(field);
});
