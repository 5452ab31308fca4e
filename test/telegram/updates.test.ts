import type { Update } from 'grammy/types';
import { expect, test } from 'vitest';
import { chatOf } from '../../src/telegram/update-queue.ts';

const from = { id: 501, is_bot: false, first_name: 'Guest' };
const group = { id: -1001, type: 'supergroup' as const, title: 'Demo group' };

test.each<[string, Update, number | undefined]>([
  ['a message', { update_id: 1, message: { message_id: 1, date: 0, chat: group, from, text: 'x' } }, -1001],
  [
    'an edited message',
    { update_id: 1, edited_message: { message_id: 1, date: 0, edit_date: 1, chat: group, from, text: 'x' } },
    -1001,
  ],
  [
    'a tap',
    {
      update_id: 1,
      callback_query: {
        id: '1',
        from,
        chat_instance: '',
        message: { message_id: 1, date: 0, chat: group, text: 'x', from },
      },
    },
    -1001,
  ],
  ['a tap without its message', { update_id: 1, callback_query: { id: '1', from, chat_instance: '' } }, 501],
  ['something else', { update_id: 1 }, undefined],
])('assigns %s to its chat', (_, update, chat) => {
  expect(chatOf(update)).toBe(chat);
});

test('assigns a change of membership to its chat', () => {
  const member = { user: from, status: 'member' as const };
  const change = { chat: group, from, date: 0, old_chat_member: member, new_chat_member: member };
  expect(chatOf({ update_id: 1, my_chat_member: change })).toBe(-1001);
});
