import { GrammyError, HttpError } from 'grammy';
import { expect, test } from 'vitest';
import { answerTaps } from '../../../src/bot/middleware/answer-taps.ts';
import { transaction } from '../../../src/bot/middleware/transaction.ts';
import { createMemoryStorage } from '../../../src/storage/memory.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLog } from '../../support/log-lines.ts';
import { standInBot, tapUpdate } from '../stand-in-bot.ts';

/** A bot that answers a tap with `toast`, at the first try of which `error` comes between. */
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

test('the words to a tap that were lost on their way are said again', async () => {
  const { handle, said } = openBot('Already on its way.', LOST);
  await handle(tapUpdate(1, 'operation:confirm:ABCD1234'));
  await eventually(() => expect(said()).toEqual(['Already on its way.']));
});

test('an answer without words is not repeated', async () => {
  const { handle, tries } = openBot(undefined, LOST);
  await handle(tapUpdate(1, 'menu:open'));
  await handle(tapUpdate(2, 'menu:open'));
  expect(tries()).toBe(2);
});

test('a tap that is too old to be answered fails nothing, and is left at that', async () => {
  const { handle, tries } = openBot('Already on its way.', OLD);
  await handle(tapUpdate(1, 'operation:confirm:ABCD1234'));
  await handle(tapUpdate(2, 'operation:confirm:ABCD1234'));
  expect(tries()).toBe(2);
});
