import { HttpError } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  answerButton,
  answerTo,
  type Dialogue,
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  handleFlows,
  questionView,
} from '../../src/bot/dialogue.ts';
import { answerTaps } from '../../src/bot/middleware.ts';
import { session, transaction } from '../../src/bot/receive.ts';
import { shortenAddress, type Words } from '../../src/i18n/texts.ts';
import { controlWordOf } from '../../src/input/words.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { withMenuButton } from '../../src/views/view.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/log-lines.ts';
import { TEXTS } from '../support/texts.ts';
import { textUpdate } from '../support/updates.ts';
import { CHAT, standInBot, tapUpdate } from './stand-in-bot.ts';

describe('a flow', () => {
  interface Order extends DialogueState {
    colour?: 'red' | undefined;
    price?: string;
  }

  const kept = dialogueStateSchema.extend({ colour: z.literal('red').optional() });

  const RED: InlineKeyboardButton = { text: 'Red', callback_data: answerData('red') };
  const again: InlineKeyboardButton = { text: 'Again', callback_data: answerData('again') };
  const [way = []] = questionView(TEXTS.in('en'), '', []).keyboard;

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
          ask: () => 'Which colour?',
          onChoice: (_ctx, state, value) =>
            value === 'red' ? { ...state, step: 'size', colour: 'red', price: '2.32' } : state,
          onText: (_ctx, state) => ({ ...state, problem: 'Not that.' }),
        },
        size: {
          ask: () => 'Which size?',
          onText: (_ctx, state) => ({ ...state, step: 'end' }),
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
      answerTaps({ log }),
      (ctx, next) => {
        if (ctx.message?.text === 'begin') ctx.flowToEnter = { feature: 'order', start: { step: 'colour' } };
        return next();
      },
      handleFlows([feature, { name: 'menu' }]),
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
      /** Returns the ids of the deleted messages. */
      deleted: () =>
        bot.calls.flatMap(({ method, payload }) => (method === 'deleteMessage' ? payload.message_id : [])),
    };
  }

  async function beginFlow() {
    const flow = openFlow();
    await flow.write('begin');
    return flow;
  }

  test('edits its message from one tapped answer to the next', async () => {
    const flow = await beginFlow();
    const message = await flow.tap('red');
    await flow.tap('back');
    const edit = (text: string) => ({ method: 'editMessageText', payload: { message_id: message, text } });
    expect(flow.shown().slice(1)).toMatchObject([edit('Which size?'), edit('Which colour?')]);
    expect(flow.deleted()).toEqual([]);
  });

  test('asks below a typed answer, and only then deletes the answered question', async () => {
    const flow = await beginFlow();
    const question = await flow.tap('red');
    await flow.write('large');
    expect(flow.said()).toEqual(['Which colour?', 'It is end.']);
    expect(flow.finish.mock.calls.map(([, state]) => state)).toMatchObject([{ step: 'end', colour: 'red' }]);
    expect(flow.calls.slice(-2)).toMatchObject([
      { method: 'sendMessage' },
      { method: 'deleteMessage', payload: { message_id: question } },
    ]);
  });

  test('reduces a question that cannot be deleted to one line without buttons', async () => {
    const flow = await beginFlow();
    flow.trouble('deleteMessage', { code: 400, description: "message can't be deleted for everyone" });
    await flow.write('red');
    const text = TEXTS.in('en').html('question-over');
    await eventually(() =>
      expect(flow.calls.at(-1)).toMatchObject({
        method: 'editMessageText',
        payload: { message_id: 1_001, text, reply_markup: { inline_keyboard: [] } },
      }),
    );
  });

  test.each(['unreached', 'hangs'] as const)(
    'continues when the deletion of a question fails: %s',
    async (trouble) => {
      const flow = await beginFlow();
      flow.trouble('deleteMessage', trouble);
      await flow.write('red');
      await flow.write('large');
      expect(flow.said()).toEqual(['Which colour?', 'Which size?', 'It is end.']);
    },
  );

  test('asks in a new message if the tapped one cannot be edited any more', async () => {
    const flow = await beginFlow();
    flow.trouble('editMessageText', { code: 400, description: "message can't be edited" });
    const question = await flow.tap('red');
    expect(flow.said()).toEqual(['Which colour?', 'Which size?']);
    expect(flow.deleted()).toEqual([question]);
    await flow.tap('back');
    expect(flow.said().at(-1)).toBe('Which colour?');
  });

  test('explains a wrong answer above the same question, in place of the earlier one', async () => {
    const flow = await beginFlow();
    await flow.write('blue');
    expect(flow.said()).toEqual(['Which colour?', 'Not that.\n\nWhich colour?']);
    expect(flow.shown().at(-1)?.payload.reply_markup).toEqual({ inline_keyboard: [[RED, again], way] });
    expect(flow.deleted()).toEqual([1_001]);
    await flow.write('red');
    expect(flow.said().at(-1)).toBe('Which size?');
  });

  test('replies once to an album, and to each later message separately', async () => {
    const flow = await beginFlow();
    for (const album of ['13', '13', '13']) await flow.bring(album);
    expect(flow.said()).toHaveLength(2);
    await flow.bring('14');
    await flow.write('blue');
    expect(flow.said()).toHaveLength(4);
    await flow.write('red');
    expect(flow.said().at(-1)).toBe('Which size?');
    expect(flow.idle).not.toHaveBeenCalled();
  });

  test('ignores forged data and taps on earlier questions', async () => {
    const flow = await beginFlow();
    await flow.write('red');
    const asked = flow.shown().length;
    await flow.tap('red', 1_001);
    await flow.tap('green');
    await flow.tap('back', 1_001);
    expect(flow.shown()).toHaveLength(asked);
    await flow.write('back');
    expect(flow.said().at(-1)).toBe('Which colour?');
  });

  describe('a flow ends', () => {
    test('on Back at its first question', async () => {
      const flow = await beginFlow();
      await flow.tap('back');
      expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([FLOW_ENDS.back]);
      // The final answer isn't passed to the idle handler.
      expect(flow.idle).not.toHaveBeenCalled();
      expect(await flow.stored()).toBe('');
    });

    test.each(['colour', 'size'])('on Cancel at any question: %s', async (question) => {
      const flow = await beginFlow();
      if (question === 'size') await flow.write('red');
      await flow.write('cancel');
      expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([FLOW_ENDS.cancel]);
      await flow.write('red');
      expect(flow.finish).toHaveBeenCalledOnce();
    });

    test('at the 41st answer', async () => {
      const flow = await beginFlow();
      for (let answers = 1; answers <= 40; answers++) await flow.write('blue');
      expect(flow.finish).not.toHaveBeenCalled();
      await flow.write('blue');
      expect(flow.finish.mock.calls.map(([, { step }]) => step)).toEqual([FLOW_ENDS.tooMany]);
    });
  });

  describe('the stored state of an open flow', () => {
    test('has the same size at the fortieth answer as at the first', async () => {
      const flow = await beginFlow();
      await flow.write('red');
      const size = { version: [0, 3], flow: 'order@1', state: { step: 'size', colour: 'red', answers: 1 } };
      expect(JSON.parse(await flow.stored())).toEqual(size);
      await flow.write('back');
      for (let answers = 3; answers <= 39; answers++) await flow.write('語'.repeat(4_096));
      await flow.tap('red');
      expect(JSON.parse(await flow.stored())).toEqual({ ...size, state: { ...size.state, answers: 40 } });
    });

    test('stays unchanged when an update is no answer and goes to the next handler', async () => {
      const flow = await beginFlow();
      await flow.write('red');
      const [before, idle] = [await flow.stored(), flow.idle.mock.calls.length];
      await flow.tap('red', 12);
      expect(flow.idle).toHaveBeenCalledTimes(idle + 1);
      expect(await flow.stored()).toBe(before);
    });

    const STATE = { step: 'size', colour: 'red', answers: 1 };
    const stored = (flow: unknown, state: unknown = STATE, version: unknown = [0, 3]) =>
      JSON.stringify({ version, flow, state });

    test('is continued if this version has written it', async () => {
      const flow = openFlow();
      await flow.store(stored('order@1'));
      await flow.write('large');
      expect(flow.finish).toHaveBeenCalledOnce();
    });

    test.each([
      ['an unknown step', stored('order@1', { ...STATE, step: 'shape' })],
      ['an unknown colour', stored('order@1', { ...STATE, colour: 'blue' })],
      ['answers that are no number', stored('order@1', { ...STATE, answers: 'many' })],
      ['no state', JSON.stringify({ version: [0, 3], flow: 'order@1' })],
      ['an empty text', ''],
      ['no JSON', '{'],
      ['null', 'null'],
      ['a list', '[]'],
      ['no versions', JSON.stringify({ flow: 'order@1', state: STATE })],
      ['the previous layout', JSON.stringify({ version: [0, 2], state: { 'order@1': [{ args: '[]' }] } })],
      ['the previous layout version', stored('order@1', STATE, [0, 2])],
      ['another version of the plugin', stored('order@1', STATE, [1, 3])],
      ['a single version number', stored('order@1', STATE, 3)],
      ['no flow', stored(undefined)],
      ['an older version of the flow', stored('order@0')],
      ['a newer version of the flow', stored('order@2')],
      ['no version of the flow', stored('order')],
      ['a removed flow', stored('withdrawal@1')],
      ['a feature without a flow', stored('menu@undefined')],
    ])('is dropped with %s', async (_, conversation) => {
      const flow = openFlow();
      await flow.store(conversation);
      await flow.write('large');
      expect(flow.finish).not.toHaveBeenCalled();
      expect(flow.calls).toEqual([]);
      expect(flow.idle).toHaveBeenCalledOnce();
      expect(await flow.stored()).toBe('');
    });
  });

  test('a failed send keeps its error class and leaves the flow at its question', async () => {
    const flow = await beginFlow();
    const before = await flow.stored();
    flow.trouble('sendMessage', 'unreached');
    await expect(flow.write('red')).rejects.toMatchObject({ error: expect.any(HttpError) });
    expect(await flow.stored()).toBe(before);
    flow.trouble('sendMessage', undefined);
    await flow.write('red');
    expect(flow.said().at(-1)).toBe('Which size?');
  });
});

describe('answers', () => {
  const en = TEXTS.in('en');
  const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const MESSAGE = 40;

  const priced = [
    [answerButton(en.plain('button-hours-priced', { hours: 1, price: '2.32' }), 1)],
    [answerButton(en.plain('button-hours-priced', { hours: 24, price: '9.99' }), 24)],
  ];
  const duration = { message: MESSAGE, ...questionView(en, 'For how long?', priced) };
  const purpose = {
    message: MESSAGE,
    ...questionView(en, 'What for?', [
      [answerButton(en.plain('button-transfers', { count: 2, amount: '130,000' }), 'two')],
      [answerButton(en.plain('button-other-amount'), 'exact')],
    ]),
  };
  const unpriced = (words: Words) =>
    questionView(words, 'x', [
      [answerButton(words.plain('button-1-hour'), 1)],
      [answerButton(words.plain('button-24-hours'), 24)],
    ]);

  const said = (text: string, question = duration) => answerTo(question, textUpdate(1, CHAT, text));
  const tapped = (data: string, message = MESSAGE) => answerTo(duration, tapUpdate(1, data, { message }));

  describe('a tap', () => {
    test('on a button of the question selects its value', () => {
      expect(tapped(answerData('24'))).toEqual({ kind: 'choice', value: '24', tapped: true });
      expect(tapped(answerData('back'))).toEqual({ kind: 'choice', value: 'back', tapped: true });
    });

    test.each([
      ...['12', '', 'two'].map(answerData),
      ...['answer:24', '24', 'menu:open', 'operation:confirm:ABCD1234', ''],
    ])('with data of no button in the question is ignored: %j', (data) => {
      expect(tapped(data)).toBeUndefined();
    });

    test('on an earlier message is ignored', () => {
      expect(tapped(answerData('24'), MESSAGE - 1)).toBeUndefined();
    });

    test('on a shortened address selects the full address', () => {
      const question = {
        message: MESSAGE,
        ...questionView(en, 'x', [[answerButton(shortenAddress(ADDRESS), ADDRESS)]]),
      };
      const tap = tapUpdate(1, answerData(ADDRESS), { message: MESSAGE });
      expect(answerTo(question, tap)).toEqual({ kind: 'choice', value: ADDRESS, tapped: true });
    });
  });

  describe('a typed answer', () => {
    test.each([
      ['1 hour', '1'],
      ['24 Hours', '24'],
      [' 24 hours · ≈ 9.99 TRX ', '24'],
      ['back', 'back'],
      ['‹ Back', 'back'],
      ['BACK', 'back'],
      ['✕ Cancel', 'cancel'],
      ['cancel!', 'cancel'],
      ['Назад', 'back'],
      ['отмена', 'cancel'],
    ])('%j chooses %s', (text, value) => {
      expect(said(text)).toEqual({ kind: 'choice', value });
    });

    test('chooses the button whose label it matches', () => {
      expect(said('other amount', purpose)).toEqual({ kind: 'choice', value: 'exact' });
      expect(said('2 transfers', purpose)).toEqual({ kind: 'choice', value: 'two' });
    });

    test('in a Russian chat matches Russian labels and English navigation words', () => {
      const question = { message: MESSAGE, ...unpriced(TEXTS.in('ru')) };
      expect(said('1 час', question)).toEqual({ kind: 'choice', value: '1' });
      expect(said('назад', question)).toEqual({ kind: 'choice', value: 'back' });
      expect(said('Cancel', question)).toEqual({ kind: 'choice', value: 'cancel' });
    });

    test.each(['65000', 'hour', '1 hour please', '24', ADDRESS])(
      '%j matches no button and is returned as words',
      (text) => {
        expect(said(text)).toEqual({ kind: 'text', text: text });
      },
    );

    test('is not read as Back if the question has no buttons', () => {
      const question = { message: MESSAGE, html: 'x', keyboard: [] };
      expect(said('back', question)).toEqual({ kind: 'text', text: 'back' });
    });

    test('without text, such as a picture, is returned as empty words', () => {
      const update = textUpdate(1, CHAT);
      if (update.message) delete update.message.text;
      expect(answerTo(duration, update)).toEqual({ kind: 'text', text: '' });
    });
  });

  test('a button that answers no question is no choice', () => {
    const question = { message: MESSAGE, ...withMenuButton(en, 'x') };
    expect(said(en.plain('button-menu'), question)).toEqual({ kind: 'text', text: en.plain('button-menu') });
  });

  test('an update without a message or a tap is no answer', () => {
    expect(answerTo(duration, { update_id: 1 })).toBeUndefined();
  });

  test.each([
    ['✅ Confirm', 'confirm'],
    ['CONFIRM.', 'confirm'],
    ['подтвердить', 'confirm'],
    [' back ', 'back'],
    ['Назад', 'back'],
    ['✕ Отмена', 'cancel'],
  ])('%j at a card means %s', (text, way) => {
    expect(controlWordOf(text)).toBe(way);
  });

  test.each(['confirmed', 'yes please', 'confirm it', '', 'constructor', '__proto__'])(
    '%j at a card matches none of its buttons',
    (text) => {
      expect(controlWordOf(text)).toBeUndefined();
    },
  );

  test('treats a megabyte of punctuation as words', () => {
    const text = `a${'-'.repeat(1_000_000)}a`;
    expect(controlWordOf(text)).toBeUndefined();
    expect(answerTo(duration, textUpdate(1, CHAT, text))).toEqual({ kind: 'text', text: text });
  });
});
