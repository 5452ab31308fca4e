import type { Update } from 'grammy/types';
import { expect, test } from 'vitest';
import { trimUpdate } from '../../../src/bot/middleware/trim-update.ts';
import { carriesTapped } from '../../../src/bot/reply.ts';
import { ADDRESS } from '../../operations/rental-stand-in.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, standInBot, tapUpdate } from '../stand-in-bot.ts';

const OTHER = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';

/** What a flow gets of an update. */
async function passedOn(update: Update): Promise<{ update: Update; carries: boolean }> {
  const seen: { update: Update; carries: boolean }[] = [];
  const { handle } = standInBot(trimUpdate, (ctx) => {
    seen.push({ update: ctx.update, carries: carriesTapped(ctx) });
  });
  await handle(update);
  const [passed] = seen;
  if (passed === undefined) throw new Error('it was not passed on');
  return passed;
}

const written = async (text: string) => (await passedOn(textUpdate(1, CHAT, text))).update.message?.text;

test.each([
  ['is passed on as it is', '65 000', '65 000'],
  ['of 256 characters is passed on as it is', '語'.repeat(256), '語'.repeat(256)],
  ['that is longer is cut, and no character in two', '💥'.repeat(4_000), '💥'.repeat(256)],
  ['that is longer is the address in it', `${'so '.repeat(400)}${ADDRESS} please`, ADDRESS],
  ['with several addresses keeps two', `${ADDRESS} ${'or '.repeat(400)} ${OTHER}`, `${ADDRESS} ${OTHER}`],
])('a text %s', async (_, text, kept) => {
  expect(await written(text)).toBe(kept);
});

test('of a tap a flow gets what was tapped and where, and who shows it still knows the buttons', async () => {
  const update = tapUpdate(1, 'answer=red');
  const tapped = update.callback_query?.message;
  if (tapped && 'text' in tapped) {
    tapped.text = 'a long question';
    tapped.reply_markup = { inline_keyboard: [[{ text: 'Red', callback_data: 'answer=red' }]] };
  }
  const before = structuredClone(update);
  const { update: passed, carries } = await passedOn(update);
  expect(passed.callback_query).toEqual({
    id: '1',
    from: { id: CHAT, is_bot: false },
    chat_instance: '1',
    data: 'answer=red',
    message: { message_id: 40, date: 1, chat: { id: CHAT, type: 'private' } },
  });
  expect(carries).toBe(true);
  expect(update).toEqual(before);
});
