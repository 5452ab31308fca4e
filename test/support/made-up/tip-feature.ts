import { defineFeature } from '../../../src/bot/feature.ts';
import { CARD, moneyFlow } from '../../../src/bot/money-flow.ts';
import { addressStep } from '../../../src/bot/steps/addresses.ts';
import { trxAmountStep } from '../../../src/bot/steps/amounts.ts';
import { tip } from './tip-kind.ts';

declare module '../../../src/i18n/keys.ts' {
  interface TextKeys {
    'command-tip': string;
    'button-tip': string;
    'tip-address': string;
    'tip-amount': string;
  }
}

/** Feature of the made-up operation kind: the second file to add for a new kind. */
export const tipFeature = defineFeature((deps) =>
  moneyFlow(deps, {
    name: 'tip',
    menu: { button: 'button-tip', place: 'main', for: 'linked' },
    command: { name: 'tip', text: 'command-tip', inMenu: true },
    kind: tip,
    version: 1,
    lastStep: 'amount',
    request: ({ address, trx }) =>
      address === undefined || trx === undefined ? undefined : { kind: 'tip', address, trx },
    answersOf: ({ address, trx }) => ({ address, trx }),
    estimate: async (_payer, { trx }) => ({ trx }),
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        ask: (words) => words.html('tip-address'),
        onAnswer: (state, address) => ({ ...state, address, step: 'amount' }),
      }),
      amount: trxAmountStep({
        ask: ({ words }) => words.html('tip-amount'),
        onAnswer: (state, trx) => ({ ...state, trx, step: CARD }),
        back: 'address',
      }),
    },
    examples: [
      { inputs: ['/tip'], expected: 'problem-address-prefix' },
      { inputs: ['/tip', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'], expected: 'problem-trx' },
    ],
  }),
);
