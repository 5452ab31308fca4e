import { defineFeature } from '../bot/feature.ts';
import { CARD, moneyFlow } from '../bot/money-flow.ts';
import { roundPrice } from '../bot/quotes.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import { activation } from '../operations/kinds/activation.ts';
import { ACTIVATION_COST_TRX } from '../rental-api/amounts.ts';

const PRICE = roundPrice(ACTIVATION_COST_TRX);

/** Creates the feature that activates an address. */
export const activationFeature = defineFeature((deps) =>
  moneyFlow(deps, {
    name: 'activation',
    menu: { button: 'button-activation', place: 'main', for: 'linked' },
    command: { name: 'activate', text: 'command-activate' },
    kind: activation,
    version: 1,
    lastStep: 'address',
    request: ({ address }) => (address === undefined ? undefined : { kind: 'activation', address }),
    answersOf: ({ address }) => ({ address }),
    estimate: async () => PRICE,
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        help: 'activation',
        ask: (words, known) => words.html('activation-address', { known, price: PRICE }),
        async rejectionOf({ words }, address) {
          const wanted = { kind: activation.name, address };
          const isDone = await deps.operations.completedOnce.has(wanted);
          return isDone ? words.html('problem-activation-done', { address }) : undefined;
        },
        onAnswer: (state, address) => ({ ...state, address, step: CARD }),
      }),
    },
  }),
);
