import { expect, test } from 'vitest';
import type { BroadcastDraft } from '../../../src/broadcasts/store.ts';
import { broadcastIdOf, hashOfDraft } from '../../../src/features/broadcast/broadcast-flow.ts';

const content = { chat: 504, message: 9, buttons: [], hash: 'h' };
const draft: BroadcastDraft = {
  ...{ id: 'a', admin: 504, contents: { default: content }, audience: { who: 'active', days: 7 }, at: 5 },
};

test.each<[string, Partial<BroadcastDraft>]>([
  ['more days', { audience: { who: 'active', days: 8 } }],
  ['another audience', { audience: { who: 'everybody' } }],
  ['a language', { audience: { who: 'language', language: 'ru' } }],
  ['another time', { at: 6 }],
  ['no time', { at: undefined }],
  ['another message', { contents: { default: { ...content, hash: 'i' } } }],
  ['another button', { contents: { default: { ...content, buttons: [{ text: 'a', url: 'https://b.c' }] } } }],
  ['an additional message', { contents: { default: content, ru: content } }],
])('a draft with %s gets a different hash and broadcast id', (_, changes) => {
  const other = { ...draft, ...changes };
  expect(hashOfDraft(other)).not.toBe(hashOfDraft(draft));
  expect(broadcastIdOf(other)).not.toBe(broadcastIdOf(draft));
});

test('the broadcast id depends on the draft id, the hash does not', () => {
  expect(broadcastIdOf({ ...draft })).toBe(broadcastIdOf(draft));
  expect(hashOfDraft({ ...draft, id: 'b' })).toBe(hashOfDraft(draft));
  expect(broadcastIdOf({ ...draft, id: 'b' })).not.toBe(broadcastIdOf(draft));
  expect(broadcastIdOf(draft)).toMatch(/^[\w-]{16}$/);
});
