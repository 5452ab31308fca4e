import type { InlineKeyboardButton } from 'grammy/types';
import { roundPrice, screen, withReading } from '../../bot/accounts.ts';
import { answerButton, FLOW_ENDS, type Step } from '../../bot/dialogue.ts';
import { type ButtonHandler, defineFeature } from '../../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../../bot/money-flow.ts';
import { show, showToast } from '../../bot/reply.ts';
import { addressStep } from '../../bot/steps/addresses.ts';
import { escapeHtml, lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { smartMode, variantOf } from '../../operations/kinds/smart-mode.ts';
import { orTimeout } from '../../platform/async.ts';
import type { AccountReads } from '../../rental-api/account-reader.ts';
import { type SmartModeSubscription, toPrintable } from '../../rental-api/schemas.ts';
import { BW_GUARANTEE_FEE_TRX } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withMenuButton } from '../../views/view.ts';

const NAME = smartMode.name;
/** Each one has a row of buttons. No user has that many. */
const MAX_SHOWN = 20;
const LABEL_LENGTH = 32;
/** Timeout for the list prices, in milliseconds. The card then says that only the service knows them. */
const PRICES_TIMEOUT_MS = 3_000;

type Action = 'pause' | 'resume' | 'end';

export const smartModeFeature = defineFeature((deps) => {
  const flow = moneyFlow(deps, {
    name: NAME,
    menu: { button: 'button-smart-mode', place: 'main', for: 'linked', merchants: 'more' },
    command: { name: 'smart', text: 'command-smart-mode' },
    kind: smartMode,
    version: 2,
    lastStep: 'guarantee',
    lastStepOf: ({ action }) => (action === 'start' ? undefined : FLOW_ENDS.back),
    request(state) {
      const request = smartMode.request.safeParse({ ...state, kind: NAME, action: state.action ?? 'start' });
      return request.data;
    },
    answersOf: ({ kind: _, ...asked }) => asked,
    async estimate({ account }, { action }) {
      const fee =
        action === 'start' &&
        (await deps.operations.lastPrices.estimate(account, NAME, { amount: 1, hours: 24 }));
      return fee ? roundPrice(fee) : undefined;
    },
    async nextStep(_ctx, { account, read: readAccount }, state) {
      if (state.step !== CARD || (state.action ?? 'start') !== 'start') return state;
      const [transferFee, listed] = await Promise.all([
        deps.operations.lastPrices.transferFee(account, NAME, variantOf(state.guarantee)),
        orTimeout(
          readAccount((reads) => reads.packageTiers()),
          PRICES_TIMEOUT_MS,
        ),
      ]);
      const prices = listed?.kind === 'accepted' ? listed.value : undefined;
      const listedFee = transferFee === undefined ? prices?.single_transfer_price : undefined;
      return { ...state, transferFee, listedFee, guaranteeFee: prices?.bw_fee_per_transfer };
    },
    steps: {
      address: addressStep<MoneyState>({
        addressBook: deps.addressBook,
        help: 'sender',
        ask: (words) => words.html('smart-mode-address'),
        onAnswer: (state, address) => ({ ...state, address, step: 'label' }),
      }),
      label: optionalStep((state) => ({ ...state, label: undefined, step: 'guarantee' }), {
        ask: ({ words }, { address = '' }) => words.html('smart-mode-label', { address }),
        choices: ({ words }) => [[answerButton(words.plain('button-no-label'), 'none')]],
        onChoice: (_ctx, state) => ({ ...state, label: undefined, step: 'guarantee' }),
        onText: ({ words }, state, text) => {
          const label = toPrintable(text, LABEL_LENGTH + 1);
          return label === '' || [...label].length > LABEL_LENGTH
            ? { ...state, problem: words.html('problem-label') }
            : { ...state, label, step: 'guarantee' };
        },
        back: 'address',
      }),
      // On by default, as at the service (section 4, endpoint 6). The card shows that, and its price.
      guarantee: optionalStep((state) => ({ ...state, guarantee: true, step: CARD }), {
        ask: ({ words }, { address = '' }) =>
          words.html('smart-mode-guarantee', { address, extra: BW_GUARANTEE_FEE_TRX }),
        choices: ({ words }) => [
          [
            answerButton(words.plain('button-guarantee-on'), 'on'),
            answerButton(words.plain('button-guarantee-off'), 'off'),
          ],
        ],
        onChoice: (_ctx, state, value) => ({ ...state, guarantee: value === 'on', step: CARD }),
        back: 'label',
      }),
    },
  });

  const read = (reads: AccountReads) => reads.subscriptions();
  const list = screen(deps, { name: NAME, read, view: listView });

  /** Reads the subscription again, so that the card shows the right address. */
  const act =
    (action: Action): ButtonHandler =>
    (ctx, argument) =>
      withReading(deps, ctx, { read, again: callbackData(NAME, 'open') }, async (subscriptions) => {
        const found = subscriptions.find(({ id }) => String(id) === argument);
        if (found === undefined) {
          showToast(ctx, 'toast-no-subscription');
          await show(ctx, listView(ctx.words, subscriptions));
          return;
        }
        const { id: subscription, address, label } = found;
        const start = {
          step: CARD,
          action,
          subscription,
          address,
          ...(label && { label }),
        } satisfies MoneyState;
        ctx.flowToEnter = { feature: NAME, start };
      });

  return {
    ...flow,
    open: list.open,
    buttons: { start: flow.open, pause: act('pause'), resume: act('resume'), end: act('end') },
  };
});

function listView(words: Words, subscriptions: readonly SmartModeSubscription[]): View {
  const shown = subscriptions.slice(0, MAX_SHOWN);
  const html = paragraphs(
    words.html('smart-mode-list'),
    ...shown.map((one, at) => entry(words, one, at)),
    subscriptions.length > MAX_SHOWN &&
      words.html('smart-mode-more', { count: subscriptions.length - MAX_SHOWN }),
    shown.length === 0 && words.html('smart-mode-none'),
  );
  const start = [button(words, 'button-smart-mode-start', callbackData(NAME, 'start'), 'primary')];
  return withMenuButton(words, html, ...shown.map((one, at) => rowOf(words, one, at)), start);
}

function entry(words: Words, one: SmartModeSubscription, at: number): string {
  const { status, label, address, bw_guarantee: guarantee } = one;
  return lines(
    words.html('smart-mode-entry', { number: at + 1, status, guarantee: guarantee ? 'on' : 'off' }),
    label ? `<code>${escapeHtml(label)}</code>` : undefined,
    `<code>${escapeHtml(address)}</code>`,
  );
}

function rowOf(words: Words, { id, status }: SmartModeSubscription, at: number): InlineKeyboardButton[] {
  const action = (name: Action) => ({
    text: words.plain(`button-${name}`, { number: at + 1 }),
    callback_data: callbackData(NAME, name, id),
  });
  if (status === 'active') return [action('pause'), action('end')];
  return status === 'paused' ? [action('resume'), action('end')] : [action('end')];
}

/** `stateIfOmitted` applies if a command doesn't contain the answer. */
function optionalStep(
  stateIfOmitted: (state: MoneyState) => MoneyState,
  step: Step<MoneyState>,
): Step<MoneyState> {
  return { ...step, stateIfOmitted };
}
