import { describe, expect, test } from 'vitest';
import { defineFeature } from '../../src/bot/feature.ts';
import { CARD, type MoneyStep, moneyFlow } from '../../src/bot/money-flow.ts';
import { FEATURES } from '../../src/features/features.ts';
import { KINDS } from '../../src/operations/operations.ts';
import { answerData } from '../../src/views/callback-data.ts';
import { ADDRESS, OFFLINE } from '../operations/rental-stand-in.ts';
import { MADE_UP_TEXTS } from '../support/made-up/texts.ts';
import { tipFeature } from '../support/made-up/tip-feature.ts';
import { tip } from '../support/made-up/tip-kind.ts';
import { openChat } from './chat.ts';

describe('a question whose choices come from the service', () => {
  const openTip = (feature = tipFeature) =>
    openChat('en', { definitions: [...FEATURES, feature], kinds: [...KINDS, tip], texts: MADE_UP_TEXTS });

  test.each(['tapped', 'typed'])('offers them and accepts one, %s', async (how) => {
    const chat = await openTip();
    await chat.input('/tip', ADDRESS);
    expect(chat.buttons()).toMatchObject({ '23.00 TRX': answerData('23.00') });
    await (how === 'tapped' ? chat.tapShown(answerData('23.00')) : chat.write('23.00 TRX'));
    chat.shows('A tip of 23.00 TRX');
  });

  test('offers the same again after a wrong answer, and reads them anew when it is asked again', async () => {
    const chat = await openTip();
    const { packageTiers } = chat.setup.rental;
    await chat.input('/tip', ADDRESS);
    const offered = chat.buttons();
    await chat.expectReply('a lot', 'like 12.5');
    expect(chat.buttons()).toEqual(offered);
    expect(packageTiers).toHaveBeenCalledOnce();
    await chat.input(answerData('back'), ADDRESS);
    expect(chat.buttons()).toEqual(offered);
    expect(packageTiers).toHaveBeenCalledTimes(2);
  });

  test('finds the text of the command among the choices', async () => {
    const size: MoneyStep = {
      ask: ({ words }) => words.html('tip-amount'),
      offers: async () => [{ value: '23.00', label: '10' }],
      onText(_ctx, state, text) {
        const found = state.offers?.choices.find(({ label }) => label === text);
        return found ? { ...state, trx: found.value, step: CARD } : { ...state, problem: 'not offered' };
      },
    };
    const chat = await openTip(
      defineFeature((deps) =>
        moneyFlow(deps, {
          name: 'tip',
          command: { name: 'tip', text: 'command-tip' },
          kind: tip,
          version: 1,
          steps: { size },
          lastStep: 'size',
          request: ({ trx }) => (trx === undefined ? undefined : { kind: 'tip', address: ADDRESS, trx }),
          answersOf: ({ trx }) => ({ trx }),
        }),
      ),
    );
    await chat.expectReply('/tip 9', 'not offered');
    await chat.expectReply('/tip 10', 'A tip of 23.00 TRX');
  });

  test('has no choices while the service does not respond', async () => {
    const chat = await openTip();
    chat.setup.rental.packageTiers.mockResolvedValue(OFFLINE);
    await chat.input('/tip', ADDRESS);
    expect(chat.data()).toEqual([answerData('back'), answerData('cancel')]);
    await chat.expectReply('12.5', 'A tip of 12.50 TRX');
  });

  test('is among the declared examples of its flow', async () => {
    const { features, ...chat } = await openTip();
    for (const { inputs, expected } of features.at(-1)?.flow?.examples ?? expect.fail('no examples')) {
      await chat.input(...inputs);
      await chat.bring({ location: { latitude: 1, longitude: 1 } });
      chat.shows(chat.words.html(expected));
    }
  });
});
