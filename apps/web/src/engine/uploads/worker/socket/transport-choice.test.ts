import { expect, test } from 'vitest';
import { createTransportChoice } from './transport-choice.ts';

function newChoice(hasSocket = true) {
  let refusals = 0;
  const choice = createTransportChoice(hasSocket, () => {
    refusals += 1;
  });
  return { choice, refusals: () => refusals };
}

test('the socket comes first, and tus where there is none', () => {
  expect(newChoice().choice.next()).toBe('socket');
  expect(newChoice(false).choice.next()).toBe('tus');
});

test('a socket that can’t be opened is followed by tus, and counts as refused once tus has brought bytes', () => {
  const { choice, refusals } = newChoice();
  choice.unreached();
  expect(choice.next()).toBe('tus');
  expect(refusals()).toBe(0);
  choice.acknowledged('tus');
  choice.acknowledged('tus');
  expect(refusals()).toBe(1);
  choice.failed('tus');
  expect(choice.next()).toBe('tus');
});

test('a server that is away is no refusal: the socket is tried again', () => {
  const { choice, refusals } = newChoice();
  choice.unreached();
  choice.failed('tus');
  expect(choice.next()).toBe('socket');
  choice.acknowledged('socket');
  expect([choice.next(), refusals()]).toEqual(['socket', 0]);
});

test('one broken socket is tried again; a second one leaves the upload to tus', () => {
  const { choice } = newChoice();
  choice.cut();
  expect(choice.next()).toBe('socket');
  choice.acknowledged('socket');
  choice.cut();
  expect(choice.next()).toBe('tus');
  choice.failed('tus');
  expect(choice.next()).toBe('tus');
});
