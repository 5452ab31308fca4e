import { GrammyError, HttpError } from 'grammy';
import { expect, test } from 'vitest';
import { answerTaps } from '../../../src/bot/middleware/default-replies.ts';
import { transaction } from '../../../src/bot/middleware/transaction.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLog } from '../../support/log-lines.ts';
import { standInBot, tapUpdate } from '../stand-in-bot.ts';

/** Opens a bot that shows `toast` for each tap. The first call of `answerCallbackQuery` throws `error`. */
function openBot(toast: string | undefined, error: Error) {
  const log = silentLog();
  const { chats } = createMemoryStorage();
  const bot = standInBot(transaction({ chats, log }), answerTaps({ log }), (ctx) => {
    if (toast !== undefined) ctx.toast = toast;
  });
  let tries = 0;
  bot.bot.api.config.use((call, method, payload, signal) => {
    if (method === 'answerCallbackQuery' && ++tries === 1) throw error;
    return call(method, payload, signal);
  });
  const said = () =>
    bot.calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ payload }) => payload.text);
  return { ...bot, said, tries: () => tries };
}

const LOST = new HttpError('no answer', new Error('ECONNRESET'));
const OLD = new GrammyError(
  'no',
  { ok: false, error_code: 400, description: 'Bad Request: query is too old' },
  'answerCallbackQuery',
  {},
);

test('repeats a toast whose request failed', async () => {
  const { handle, said } = openBot('Already on its way.', LOST);
  await handle(tapUpdate(1, 'operation:confirm:ABCD1234'));
  await eventually(() => expect(said()).toEqual(['Already on its way.']));
});

test('does not repeat an answer without a toast', async () => {
  const { handle, tries } = openBot(undefined, LOST);
  await handle(tapUpdate(1, 'menu:open'));
  await handle(tapUpdate(2, 'menu:open'));
  expect(tries()).toBe(2);
});

test('ignores the error for a tap that is too old, without a retry', async () => {
  const { handle, tries } = openBot('Already on its way.', OLD);
  await handle(tapUpdate(1, 'operation:confirm:ABCD1234'));
  await handle(tapUpdate(2, 'operation:confirm:ABCD1234'));
  expect(tries()).toBe(2);
});
