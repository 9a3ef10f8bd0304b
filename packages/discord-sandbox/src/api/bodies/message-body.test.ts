import { expect, test } from 'vitest';
import type { StoredMessage } from '../world/messages.ts';
import { readEdit, readNewMessage } from './message-body.ts';

const button = (more: object = {}) => ({ type: 2, style: 1, label: 'Go', custom_id: 'go', ...more });
const inRow = (...components: object[]) => ({ components: [{ type: 1, components }] });

test('a message without anything is refused, also by an edit that would leave nothing', () => {
  for (const body of [{}, { content: '' }, { content: ' \n' }, { embeds: [], components: [] }]) {
    expect(() => readNewMessage(body)).toThrow('Cannot send an empty message');
  }
  const edited = { content: 'a', embeds: [], components: [], flags: 0 } as unknown as StoredMessage;
  expect(() => readEdit({ content: null }, edited)).toThrow('Cannot send an empty message');
  expect(readEdit({ content: null, embeds: [{ title: 'b' }] }, edited)).toMatchObject({ content: '' });
});

test('components get ids of their own, but for those that have one', () => {
  const { components } = readNewMessage(inRow(button({ id: 2 }), button({ custom_id: 'b' })));
  expect(components).toMatchObject([{ id: 1, components: [{ id: 2 }, { id: 3 }] }]);
});

test('a select says how many may be chosen, whether it was told or not', () => {
  const options = [
    { label: 'A', value: 'a' },
    { label: 'B', value: 'b' },
  ];
  const told = { type: 3, custom_id: 'c', options };
  expect(readNewMessage(inRow(told)).components).toMatchObject([{ components: [{ min_values: 1, max_values: 1 }] }]);
  const more = { ...told, min_values: 0, max_values: 2 };
  expect(readNewMessage(inRow(more)).components).toMatchObject([{ components: [{ min_values: 0, max_values: 2 }] }]);
});
