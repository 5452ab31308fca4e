import { conversations, createConversation } from '@grammyjs/conversations';
import { expect, test, vi } from 'vitest';
import type { BotContext } from '../../src/bot/context.ts';
import { conversationStorage } from '../../src/bot/conversation-storage.ts';
import { type Dialogue, dialogue } from '../../src/bot/dialogue.ts';
import { session } from '../../src/bot/middleware/session.ts';
import { transaction } from '../../src/bot/middleware/transaction.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { TAP } from '../../src/texts/taps.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, standInBot, tapUpdate } from './stand-in-bot.ts';

interface Order {
  step: 'colour' | 'size' | 'end';
  problem?: string | undefined;
  colour?: string;
}

const red = { text: 'Red', callback_data: TAP.answer('red') };
const back = { text: 'Back', callback_data: TAP.answer('back') };

/** A flow of two questions: a colour, red alone, and a size in words. */
function openFlow() {
  const finish = vi.fn<Dialogue<Order>['finish']>(async () => {});
  const giveUp = vi.fn<Dialogue<Order>['giveUp']>(async () => {});
  const flow = dialogue<Order>({
    step: ({ step }) =>
      ({
        colour: {
          ask: () => ({ html: 'Which colour?', keyboard: [[red]] }),
          take: (_ctx: BotContext, state: Order, answer: { kind: string }): Order =>
            answer.kind === 'choice'
              ? { ...state, step: 'size', colour: 'red' }
              : { ...state, problem: 'Not that.' },
        },
        size: {
          ask: () => ({ html: 'Which size?', keyboard: [[back]] }),
          take: (_ctx: BotContext, state: Order, answer: { kind: string }): Order => ({
            ...state,
            step: answer.kind === 'choice' ? 'colour' : 'end',
          }),
        },
        end: undefined,
      })[step],
    finish,
    giveUp,
  });
  const log = silentLog();
  const { chats } = createMemoryStorage();
  const bot = standInBot(
    transaction({ chats, log }),
    session({ texts: createTexts() }),
    conversations({ storage: conversationStorage }),
    createConversation(flow, 'flow'),
    async (ctx) => {
      if (ctx.message?.text === 'begin') await ctx.conversation.enter('flow', { step: 'colour' });
    },
  );
  let updates = 0;
  const write = (text: string) => bot.handle(textUpdate(++updates, CHAT, text));
  const tap = (data: string, message: number) => bot.handle(tapUpdate(++updates, data, { message }));
  return { ...bot, finish, giveUp, write, tap, newest: () => 1_000 + bot.calls.findLastIndex(isShown) + 1 };
}

const isShown = ({ method }: { method: string }) => method === 'sendMessage' || method === 'editMessageText';

test('its questions are asked one after another, answered by words or by taps', async () => {
  const flow = openFlow();
  await flow.write('begin');
  await flow.tap('answer:red', flow.newest());
  await flow.write('large');
  const shown = flow.calls.filter(isShown).map(({ payload }) => payload.text);
  expect(shown).toEqual(['Which colour?', 'Which size?']);
  expect(flow.finish.mock.calls.map(([, state]) => state)).toMatchObject([{ step: 'end', colour: 'red' }]);
});

test('a wrong answer is told what was wrong, below it, with the same buttons, and the step stays', async () => {
  const flow = openFlow();
  await flow.write('begin');
  await flow.write('blue');
  expect(flow.said()).toEqual(['Which colour?', 'Not that.']);
  expect(flow.calls.at(-1)?.payload.reply_markup).toEqual({ inline_keyboard: [[red]] });
  await flow.write('red');
  expect(flow.said().at(-1)).toBe('Which size?');
});

test('made-up data and taps on earlier questions change nothing', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const first = flow.newest();
  await flow.write('red');
  const asked = flow.calls.length;
  await flow.tap('answer:red', first);
  await flow.tap('answer:green', flow.newest());
  await flow.tap('answer:back', first);
  expect(flow.calls).toHaveLength(asked);
  await flow.write('back');
  expect(flow.said().at(-1)).toBe('Which colour?');
});

test('who never comes to an end is let out after forty answers', async () => {
  const flow = openFlow();
  await flow.write('begin');
  for (let answers = 1; answers < 40; answers++) await flow.write('blue');
  expect(flow.giveUp).not.toHaveBeenCalled();
  await flow.write('blue');
  expect(flow.giveUp).toHaveBeenCalledOnce();
  expect(flow.finish).not.toHaveBeenCalled();
});
