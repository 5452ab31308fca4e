import { conversations, createConversation } from '@grammyjs/conversations';
import { HttpError } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { conversationStorage, enterFlow, flowConversation, flowId } from '../../src/bot/conversations.ts';
import {
  type Dialogue,
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
} from '../../src/bot/dialogue.ts';
import { session, transaction } from '../../src/bot/middleware/transaction.ts';
import { answerData } from '../../src/i18n/view.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { silentLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, standInBot, tapUpdate } from './stand-in-bot.ts';

interface Order extends DialogueState {
  colour?: 'red' | undefined;
  price?: string;
}

const kept = dialogueStateSchema.extend({ colour: z.literal('red').optional() });

const RED: InlineKeyboardButton = { text: 'Red', callback_data: answerData('red') };
const again: InlineKeyboardButton = { text: 'Again', callback_data: answerData('again') };
const way: InlineKeyboardButton[] = [
  { text: 'Back', callback_data: answerData('back') },
  { text: 'Cancel', callback_data: answerData('cancel') },
];

/** Opens a flow with two questions: a colour (only red is valid) and a size as free text. */
function openFlow() {
  const finish = vi.fn<Dialogue<Order>['finish']>(
    async (ctx, { step }) => void (await ctx.reply(`It is ${step}.`)),
  );
  const order = dialogue<Order>({
    stateSchema: kept,
    steps: {
      colour: {
        choices: () => [[RED, again]],
        ask: () => ({ html: 'Which colour?', keyboard: [[RED, again], way] }),
        onAnswer: (_ctx, state, answer) => {
          if (answer.kind === 'text') return { ...state, problem: 'Not that.' };
          return answer.value === 'red' ? { ...state, step: 'size', colour: 'red', price: '2.32' } : state;
        },
      },
      size: {
        ask: () => ({ html: 'Which size?', keyboard: [way] }),
        onAnswer: (_ctx, state) => ({ ...state, step: 'end' }),
        back: 'colour',
      },
    },
    finish,
  });
  const idle = vi.fn();
  const log = silentLog();
  const { chats } = createMemoryStorage();
  const feature = { name: 'order', flow: { version: 1, ...order } };
  const bot = standInBot(
    transaction({ chats, log }),
    session({ texts: TEXTS, log }),
    conversations({ storage: conversationStorage([feature]) }),
    createConversation(flowConversation(order), flowId(feature)),
    (ctx, next) => {
      if (ctx.message?.text === 'begin') ctx.flowToEnter = { feature: 'order', start: { step: 'colour' } };
      return next();
    },
    enterFlow({ features: [feature] }),
    idle,
  );
  let updates = 0;
  const shown = () => bot.calls.filter(({ method }) => /^(sendMessage|editMessageText)$/.test(method));
  return {
    ...bot,
    finish,
    idle,
    shown,
    /** Returns the stored conversation, or `''` if there is none. */
    async stored(): Promise<string> {
      const [begun] = [await chats.begin({ chat: CHAT, update: 99_999, token: 'reads', leaseMs: 0 })];
      return begun.kind === 'granted' ? (begun.conversation ?? '') : begun.kind;
    },
    /** Stores a conversation, as another version of the bot could have. */
    async store(conversation: string): Promise<void> {
      const about = { chat: CHAT, update: 99_998, token: 'writes' };
      await chats.begin({ ...about, leaseMs: 1_000 });
      await chats.commit({ ...about, changes: { conversation } });
    },
    write: (text: string) => bot.handle(textUpdate(++updates, CHAT, text)),
    /** Sends a photo that belongs to an album. */
    async bring(album: string): Promise<void> {
      const update = textUpdate(++updates, CHAT);
      delete update.message?.text;
      const photo = [{ file_id: 'a', file_unique_id: 'a', width: 90, height: 90 }];
      Object.assign(update.message ?? {}, { photo, media_group_id: album });
      await bot.handle(update);
    },
    /** Taps a button of the latest message, or of `message`. Returns the message id. */
    async tap(
      value: string,
      message = 1_000 + bot.calls.findLastIndex(({ method }) => method === 'sendMessage') + 1,
    ) {
      const update = tapUpdate(++updates, answerData(value), { message });
      const tapped = update.callback_query?.message;
      if (tapped && 'text' in tapped) tapped.reply_markup = { inline_keyboard: [[RED, again], way] };
      await bot.handle(update);
      return message;
    },
    /** Returns the ids of the messages whose buttons were removed. */
    bare: () =>
      bot.calls.flatMap(({ method, payload }) =>
        method === 'editMessageReplyMarkup' && payload.reply_markup === undefined ? payload.message_id : [],
      ),
  };
}

test('asks its questions in order and accepts typed answers and taps', async () => {
  const flow = openFlow();
  await flow.write('begin');
  await flow.tap('red');
  await flow.write('large');
  expect(flow.said()).toEqual(['Which colour?', 'Which size?', 'It is end.']);
  expect(flow.finish.mock.calls.map(([, state]) => state)).toMatchObject([{ step: 'end', colour: 'red' }]);
});

test('removes the buttons of an answered question and keeps its text', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const colour = await flow.tap('red');
  await flow.write('large');
  expect(flow.shown().map(({ method }) => method)).toEqual(['sendMessage', 'sendMessage', 'sendMessage']);
  expect(flow.bare()).toEqual([colour, expect.any(Number)]);
  expect(new Set(flow.bare()).size).toBe(2);
});

test('explains a wrong answer below it, with the same buttons, and stays at the step', async () => {
  const flow = openFlow();
  await flow.write('begin');
  await flow.write('blue');
  expect(flow.said()).toEqual(['Which colour?', 'Not that.']);
  expect(flow.shown().at(-1)?.payload.reply_markup).toEqual({ inline_keyboard: [[RED, again], way] });
  expect(flow.bare()).toHaveLength(1);
  await flow.write('red');
  expect(flow.said().at(-1)).toBe('Which size?');
});

test('replies once to an album, and to each later message separately', async () => {
  const flow = openFlow();
  await flow.write('begin');
  for (const album of ['13', '13', '13']) await flow.bring(album);
  expect(flow.said()).toEqual(['Which colour?', 'Not that.']);
  await flow.bring('14');
  await flow.write('blue');
  expect(flow.said().slice(1)).toEqual(['Not that.', 'Not that.', 'Not that.']);
  await flow.write('red');
  expect(flow.said().at(-1)).toBe('Which size?');
  expect(flow.idle).not.toHaveBeenCalled();
});

test('edits the message when a tap leads to the same question', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const message = await flow.tap('again');
  expect(flow.shown().map(({ method }) => method)).toEqual(['sendMessage', 'editMessageText']);
  expect(flow.shown().at(-1)?.payload).toMatchObject({ message_id: message, text: 'Which colour?' });
  expect(flow.bare()).toEqual([]);
});

test('ignores forged data and taps on earlier questions', async () => {
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

describe('a flow ends', () => {
  test('on Back at its first question', async () => {
    const flow = openFlow();
    await flow.write('begin');
    await flow.tap('back');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([FLOW_ENDS.back]);
    // The final answer isn't passed to the idle handler.
    expect(flow.idle).not.toHaveBeenCalled();
    expect(await flow.stored()).toBe('');
  });

  test.each(['colour', 'size'])('on Cancel at any question: %s', async (question) => {
    const flow = openFlow();
    await flow.write('begin');
    if (question === 'size') await flow.write('red');
    await flow.write('cancel');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([FLOW_ENDS.cancel]);
    await flow.write('red');
    expect(flow.finish).toHaveBeenCalledOnce();
  });

  test('at the 41st answer', async () => {
    const flow = openFlow();
    await flow.write('begin');
    for (let answers = 1; answers <= 40; answers++) await flow.write('blue');
    expect(flow.finish).not.toHaveBeenCalled();
    await flow.write('blue');
    expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([FLOW_ENDS.tooMany]);
  });
});

describe('the stored state of an open flow', () => {
  test('has the same size at the fortieth answer as at the first', async () => {
    const flow = openFlow();
    await flow.write('begin');
    await flow.write('red');
    const size = { version: [0, 3], flow: 'order@1', state: { step: 'size', colour: 'red', answers: 1 } };
    expect(JSON.parse(await flow.stored())).toEqual(size);
    await flow.write('back');
    for (let answers = 3; answers <= 39; answers++) await flow.write('語'.repeat(4_096));
    await flow.tap('red');
    expect(JSON.parse(await flow.stored())).toEqual({ ...size, state: { ...size.state, answers: 40 } });
  });

  test('stays unchanged when an update is no answer and goes to the next handler', async () => {
    const flow = openFlow();
    await flow.write('begin');
    await flow.write('red');
    const [before, idle] = [await flow.stored(), flow.idle.mock.calls.length];
    await flow.tap('red', 12);
    expect(flow.idle).toHaveBeenCalledTimes(idle + 1);
    expect(await flow.stored()).toBe(before);
  });

  test.each([
    ['step', 'shape'],
    ['colour', 'blue'],
    ['answers', 'many'],
  ])('is dropped if this version cannot read it: %s', async (field, value) => {
    const flow = openFlow();
    await flow.write('begin');
    await flow.write('red');
    const { state, ...versions } = JSON.parse(await flow.stored());
    await flow.store(JSON.stringify({ ...versions, state: { ...state, [field]: value } }));
    const asked = flow.calls.length;
    await flow.write('large');
    expect(flow.finish).not.toHaveBeenCalled();
    expect(flow.calls).toHaveLength(asked);
    expect(flow.idle).toHaveBeenCalledOnce();
    expect(await flow.stored()).toBe('');
  });
});

test('a failed send keeps its error class and leaves the flow at its question', async () => {
  const flow = openFlow();
  await flow.write('begin');
  const before = await flow.stored();
  flow.trouble('sendMessage', 'unreached');
  await expect(flow.write('red')).rejects.toMatchObject({ error: expect.any(HttpError) });
  expect(await flow.stored()).toBe(before);
  flow.trouble('sendMessage', undefined);
  await flow.write('red');
  expect(flow.said().at(-1)).toBe('Which size?');
});
