import { conversations, createConversation } from '@grammyjs/conversations';
import type { InlineKeyboardButton } from 'grammy/types';
import { describe, expect, test, vi } from 'vitest';
import { conversationStorage, flowId } from '../../src/bot/conversation-storage.ts';
import { type Dialogue, dialogue, ENDS } from '../../src/bot/dialogue.ts';
import { session } from '../../src/bot/middleware/session.ts';
import { transaction } from '../../src/bot/middleware/transaction.ts';
import { trimUpdate } from '../../src/bot/middleware/trim-update.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { answerData } from '../../src/texts/callback-data.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { silentLog } from '../support/log-lines.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, standInBot, tapUpdate } from './stand-in-bot.ts';

interface Order {
  step: string;
  problem?: string | undefined;
  colour?: string;
}

const RED: InlineKeyboardButton = { text: 'Red', callback_data: answerData('red') };
const again: InlineKeyboardButton = { text: 'Again', callback_data: answerData('again') };
const way: InlineKeyboardButton[] = [
  { text: 'Back', callback_data: answerData('back') },
  { text: 'Cancel', callback_data: answerData('cancel') },
];

/** A flow of two questions: a colour, red alone, and a size in words. */
function openFlow({ red = RED }: { red?: InlineKeyboardButton } = {}) {
  const finish = vi.fn<Dialogue<Order>['finish']>(
    async (ctx, { step }) => void (await ctx.reply(`It is ${step}.`)),
  );
  const run = dialogue<Order>({
    steps: {
      colour: {
        ask: () => ({ html: 'Which colour?', keyboard: [[red, again], way] }),
        take: (_ctx, state, answer) => {
          if (answer.kind === 'words') return { ...state, problem: 'Not that.' };
          return answer.value === 'red' ? { ...state, step: 'size', colour: 'red' } : state;
        },
      },
      size: {
        ask: () => ({ html: 'Which size?', keyboard: [way] }),
        take: (_ctx, state) => ({ ...state, step: 'end' }),
        back: 'colour',
      },
    },
    finish,
  });
  const log = silentLog();
  const { chats } = createMemoryStorage();
  const feature = { name: 'order', flow: { version: 1, run } };
  const id = flowId(feature);
  const bot = standInBot(
    transaction({ chats, log }),
    session({ texts: createTexts(), log }),
    trimUpdate,
    conversations({ storage: conversationStorage([feature]) }),
    createConversation(run, id),
    async (ctx) => {
      if (ctx.message?.text === 'begin') await ctx.conversation.enter(id, { step: 'colour' });
    },
  );
  let updates = 0;
  const shown = () => bot.calls.filter(({ method }) => /^(sendMessage|editMessageText)$/.test(method));
  return {
    ...bot,
    finish,
    shown,
    /** What is stored of the open flow. */
    async stored(): Promise<string> {
      const [begun] = [await chats.begin({ chat: CHAT, update: 99_999, token: 'reads', leaseMs: 0 })];
      return begun.kind === 'granted' ? (begun.conversation ?? '') : begun.kind;
    },
    write: (text: string) => bot.handle(textUpdate(++updates, CHAT, text)),
    /** A tap on a button of the message that stands last, or of another. */
    async tap(
      value: string,
      message = 1_000 + bot.calls.findLastIndex(({ method }) => method === 'sendMessage') + 1,
    ) {
      const update = tapUpdate(++updates, answerData(value), { message });
      const tapped = update.callback_query?.message;
      if (tapped && 'text' in tapped) tapped.reply_markup = { inline_keyboard: [[red, again], way] };
      await bot.handle(update);
      return message;
    },
    /** What became of buttons: the messages that lost theirs. */
    bare: () =>
      bot.calls.flatMap(({ method, payload }) =>
        method === 'editMessageReplyMarkup' && payload.reply_markup === undefined ? payload.message_id : [],
      ),
  };
}

test('its questions are asked one after another, answered by words or by taps', async () => {
  const flow = openFlow();
  await flow.write('begin');
  await flow.tap('red');
  await flow.write('large');
  expect(flow.said()).toEqual(['Which colour?', 'Which size?', 'It is end.']);
  expect(flow.finish.mock.calls.map(([, state]) => state)).toMatchObject([{ step: 'end', colour: 'red' }]);
});

test('one question stands at a time: what is answered keeps its words and loses its buttons', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const colour = await flow.tap('red');
  await flow.write('large');
  expect(flow.shown().map(({ method }) => method)).toEqual(['sendMessage', 'sendMessage', 'sendMessage']);
  expect(flow.bare()).toEqual([colour, expect.any(Number)]);
  expect(new Set(flow.bare()).size).toBe(2);
});

test('a wrong answer is told what was wrong, below it, with the same buttons, and the step stays', async () => {
  const flow = openFlow();
  await flow.write('begin');
  await flow.write('blue');
  expect(flow.said()).toEqual(['Which colour?', 'Not that.']);
  expect(flow.shown().at(-1)?.payload.reply_markup).toEqual({ inline_keyboard: [[RED, again], way] });
  expect(flow.bare()).toHaveLength(1);
  await flow.write('red');
  expect(flow.said().at(-1)).toBe('Which size?');
});

test('a tap that asks the same again is answered in its message', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const message = await flow.tap('again');
  expect(flow.shown().map(({ method }) => method)).toEqual(['sendMessage', 'editMessageText']);
  expect(flow.shown().at(-1)?.payload).toMatchObject({ message_id: message, text: 'Which colour?' });
  expect(flow.bare()).toEqual([]);
});

test('made-up data and taps on earlier questions change nothing', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const first = await flow.tap('red');
  const asked = flow.calls.length;
  await flow.tap('red', first);
  await flow.tap('green');
  await flow.tap('back', first);
  expect(flow.calls).toHaveLength(asked);
  await flow.write('back');
  expect(flow.said().at(-1)).toBe('Which colour?');
});

describe('it ends', () => {
  test('by Back from its first question', async () => {
    const flow = openFlow();
    await flow.write('begin');
    await flow.tap('back');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([ENDS.back]);
  });

  test.each(['colour', 'size'])('by Cancel from any: %s', async (question) => {
    const flow = openFlow();
    await flow.write('begin');
    if (question === 'size') await flow.write('red');
    await flow.write('cancel');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([ENDS.cancel]);
    await flow.write('red');
    expect(flow.finish).toHaveBeenCalledOnce();
  });

  test('for who goes round in circles, after forty answers', async () => {
    const flow = openFlow();
    await flow.write('begin');
    for (let answers = 1; answers <= 40; answers++) await flow.write('blue');
    expect(flow.finish).not.toHaveBeenCalled();
    await flow.write('blue');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([ENDS.tooMany]);
  });
});

describe('what is kept of an open flow', () => {
  const bytes = async (flow: ReturnType<typeof openFlow>) => Buffer.byteLength(await flow.stored());

  test('is small, however much was written: the most answers, each as long as Telegram takes', async () => {
    const flow = openFlow();
    await flow.write('begin');
    for (let answers = 1; answers <= 40; answers++) await flow.write('語'.repeat(4_096));
    expect(flow.finish).not.toHaveBeenCalled();
    expect(await bytes(flow)).toBeLessThan(64 * 1024);
    await flow.write('red');
    expect(flow.said().at(-1)).toBe('It is end-too-many.');
  });

  test('holds nothing that no later step reads: what was wrong, and what the tapped message showed', async () => {
    const flow = openFlow();
    await flow.write('begin');
    await flow.write('blue');
    await flow.tap('again');
    expect(await flow.stored()).not.toMatch(/Not that|inline_keyboard|first_name/);
    expect(flow.shown().at(-1)?.method).toBe('editMessageText');
  });

  test('has a size, over which the flow ends with words', async () => {
    const wide = { text: 'R'.repeat(10_000), callback_data: answerData('red') };
    const flow = openFlow({ red: wide });
    await flow.write('begin');
    for (let answers = 1; answers <= 7; answers++) await flow.write('blue');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([ENDS.tooMany]);
    expect(await flow.stored()).toBe('');
  });
});
