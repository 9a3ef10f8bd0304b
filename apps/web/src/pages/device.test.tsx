// @vitest-environment happy-dom
import { DEVICE_PATHS } from '@satchel/contract/device-code';
import { PATHS } from '@satchel/contract/paths';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { accountOf, hoursFromNow, MIKA, refusal, sessionOf, waitingDevice } from '../../test/answers.ts';
import { type Answers, askedFor, openPage, press } from '../../test/page.tsx';

/** /device, by what the server answers. That a command line gets in by it is tests/journeys/command-line-sign-in. */

const FIND = `POST ${DEVICE_PATHS.find}`;
const DECIDE = `POST ${DEVICE_PATHS.decide}`;
const open = (answers: Answers = {}, address = '/device') =>
  openPage(address, { ...accountOf(MIKA), [FIND]: waitingDevice(), [DECIDE]: 204, ...answers });
const field = () => screen.findByLabelText<HTMLInputElement>('Code from your terminal');
async function type(code: string) {
  fireEvent.change(await field(), { target: { value: code } });
  await press('Continue');
}
const isSaidAt = (input: HTMLElement, text: string | RegExp) =>
  waitFor(() => {
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(document.getElementById(input.getAttribute('aria-describedby')!)?.textContent).toMatch(text);
  });
const heading = (name: string) => screen.findByRole('heading', { name });
const hasFocus = (element: HTMLElement) => waitFor(() => expect(document.activeElement).toBe(element));

test('a typed code shows what asks, and Allow lets that in', async () => {
  await open();
  await hasFocus(await field());
  await type('wdjb mjht');
  await hasFocus(await heading('Let this command line in?'));
  expect(askedFor(FIND)).toMatchObject([{ body: { user_code: 'WDJB-MJHT' } }]);
  for (const text of ['WDJB-MJHT', 'satchel 1.0.0', 'Mika’s laptop', '203.0.113.7', 'the same as yours']) {
    screen.getByText(text);
  }
  expect(askedFor(DECIDE)).toEqual([]);
  await press('Allow');
  await hasFocus(await heading('Allowed'));
  expect(askedFor(DECIDE)).toMatchObject([{ body: { id: waitingDevice().id, is_allowed: true } }]);
});

test('a code in the address is looked up at once, and still needs a click', async () => {
  await open({}, '/device#WDJB-MJHT');
  await heading('Let this command line in?');
  expect([askedFor(FIND).length, askedFor(DECIDE).length]).toEqual([1, 0]);
  await press('Refuse');
  await hasFocus(await heading('Refused'));
  expect(askedFor(DECIDE)).toMatchObject([{ body: { is_allowed: false } }]);
});

test('another network than one’s own is pointed out', async () => {
  await open({ [FIND]: waitingDevice({ is_same_network: false }) }, '/device#WDJB-MJHT');
  await screen.findByText(/^The request comes from another network/);
  screen.getByText('not the one that you use now');
});

test('what is no code is never sent', async () => {
  await open();
  await type('WDJB');
  await isSaidAt(await field(), 'A code has eight letters.');
  expect(askedFor(FIND)).toEqual([]);
});

test.each([
  [refusal(404, 'device.wrong_code'), /^No command line waits/],
  [refusal(410, 'device.over'), /^This code is no longer valid/],
  [refusal(429, 'request.too_many', { retry_after_seconds: 42 }), /^Too many requests\. Try again in 42 seconds/],
])('a code that the server refuses is said at its field, which keeps it', async (answer, text) => {
  await open({ [FIND]: answer }, '/device#WDJB-MJHT');
  const input = await field();
  await hasFocus(input);
  await isSaidAt(input, text);
  expect(input.value).toBe('WDJB-MJHT');
  fireEvent.change(input, { target: { value: 'WDJB-MJH' } });
  expect(input.getAttribute('aria-invalid')).toBeNull();
});

test('an answer that comes too late, or a code whose time ends on screen, leads to another code', async () => {
  await open({ [DECIDE]: refusal(410, 'device.over') }, '/device#WDJB-MJHT');
  await press('Allow');
  await heading('This code is no longer valid');
  await press('Type another code');
  await type('WDJB-MJHT');
  await heading('Let this command line in?');
  vi.setSystemTime(hoursFromNow(1));
  await heading('This code is no longer valid');
});

test('an answer that did not arrive is said, and can be given again', async () => {
  let status = 500;
  await open({ [DECIDE]: () => new Response(status === 204 ? null : '{}', { status }) }, '/device#WDJB-MJHT');
  await press('Allow');
  await screen.findByRole('alert');
  status = 204;
  await press('Allow');
  await heading('Allowed');
});

test('a person who signs in first comes back with the code', async () => {
  await openPage('/device#WDJB-MJHT');
  await heading('Sign in to let a command line in');
  await open();
  await heading('Let this command line in?');
  expect(askedFor(FIND)).toMatchObject([{ body: { user_code: 'WDJB-MJHT' } }]);
  await open();
  expect((await field()).value).toBe('');
});

test('a session that ends while the page is open leads to the sign-in', async () => {
  let session: object = sessionOf(MIKA);
  await open({ [`GET ${PATHS.session}`]: () => Response.json(session), [FIND]: refusal(401, 'auth.required') });
  await field();
  session = { session: null };
  await type('WDJB-MJHT');
  await heading('Sign in to let a command line in');
});
