import { AppError } from '@satchel/contract/errors';
import { describe, expect, test } from 'vitest';
import { CALLBACK_START, errorOfHash, nextCallback, STEP_TEXT } from './callback-state.ts';

describe('the error after # on /auth/callback', () => {
  test('shows its description', () => {
    const error = errorOfHash('#error=access_denied&error_description=The+request+was+denied');
    expect(error?.message).toBe('Authentication failed: The request was denied');
  });

  test('shows its code when there is no description', () => {
    expect(errorOfHash('#error=server_error')?.message).toBe('Authentication failed: server_error');
  });

  test('says that the person cancelled, where no other reason is given', () => {
    for (const hash of ['#error=access_denied', '#error=access_denied&error_description=access_denied'])
      expect(errorOfHash(hash)?.message).toBe('Authentication failed: you cancelled in Discord');
  });

  test('is null without one', () => {
    expect(errorOfHash('')).toBeNull();
    expect(errorOfHash('#access_token=abc')).toBeNull();
  });

  test('is cut to one short line, because a fragment is untrusted', () => {
    const error = errorOfHash(`#error=x&error_description=${encodeURIComponent(`a\n${'b'.repeat(5000)}`)}`);
    expect(error?.message).toHaveLength('Authentication failed: '.length + 300);
    expect(error?.message).not.toContain('\n');
  });
});

describe('the callback’s log', () => {
  test('grows by its steps and ends with an error', () => {
    const started = nextCallback(CALLBACK_START, { type: 'step', step: 'started', atMs: 0 });
    const error = new AppError('auth.failed', { message: 'no' });
    const refused = nextCallback(started, { type: 'failed', step: 'refused', error, atMs: 500 });
    expect(refused.lines.map(({ step }) => step)).toEqual(['started', 'refused']);
    expect(refused.error).toBe(error);
  });

  test('is empty after a second start', () => {
    const once = nextCallback(CALLBACK_START, { type: 'step', step: 'started', atMs: 0 });
    const again = nextCallback(once, { type: 'step', step: 'started', atMs: 3 });
    expect(again.lines).toEqual([{ step: 'started', atMs: 3 }]);
  });

  test('has fixed words only, no place for a value', () => {
    for (const { message } of Object.values(STEP_TEXT)) expect(message).toMatch(/^[A-Z][a-zA-Z ,-]+$/);
  });
});
