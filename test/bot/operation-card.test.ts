import { expect, test } from 'vitest';
import { openChat } from '../features/chat.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { tapUpdate } from './stand-in-bot.ts';

test('rejects Confirm on a message that does not show the operation', async () => {
  const chat = await openChat('en');
  await chat.write(`/buy ${ADDRESS} 65000 1`);
  const message = 1_000 + chat.calls.findLastIndex(({ method }) => method === 'sendMessage') + 1;
  const confirm = Object.values(buttonsOf(chat.last())).find((data) => data.includes('confirm')) ?? '';
  await chat.receive(tapUpdate(0, confirm, { chat: USER, message }));
  expect(chat.toast()).toBe(chat.words.plain('toast-card-differs'));
});
