import type { CreateFeature } from '../bot/feature-deps.ts';
import { moneyFlow } from '../bot/money-flow.ts';
import { CARD } from '../bot/money-state.ts';
import { asShown } from '../bot/quotes.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import { activation } from '../operations/kinds/activation.ts';
import { ACTIVATION_COST_TRX } from '../rental-api/limits.ts';

const PRICE = asShown(ACTIVATION_COST_TRX);

/** Creates the feature that activates an address. */
export const createActivation: CreateFeature = (deps) =>
  moneyFlow(deps, {
    name: 'activation',
    menu: { button: 'button-activation', place: 'main', for: 'linked' },
    command: { name: 'activate', text: 'command-activate' },
    kind: activation,
    version: 1,
    last: 'address',
    request: ({ address }) => (address === undefined ? undefined : { kind: 'activation', address }),
    answers: ({ address }) => ({ address }),
    estimate: async () => PRICE,
    steps: {
      address: addressStep({
        addressBook: deps.addressBook,
        help: 'activation',
        ask: (words, known) => words.html('activation-address', { known, price: PRICE }),
        async refuse({ words }, address) {
          const wanted = { kind: activation.name, address };
          const isDone = await deps.operations.alreadyDone.isDone(wanted);
          return isDone ? words.html('problem-activation-done', { address }) : undefined;
        },
        take: (state, address) => ({ ...state, address, step: CARD }),
      }),
    },
  });
