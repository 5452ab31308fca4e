import type { InlineKeyboardButton } from 'grammy/types';
import { readProblem, withAccount } from '../bot/accounts.ts';
import { answerButton, FLOW_ENDS, type Step } from '../bot/dialogue.ts';
import { type ButtonHandler, defineFeature } from '../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../bot/money-flow.ts';
import { roundPrice } from '../bot/quotes.ts';
import { show } from '../bot/reply.ts';
import { screen } from '../bot/screen.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import { choiceStep } from '../bot/steps/choice.ts';
import { escapeHtml, type Words } from '../i18n/texts.ts';
import { button, callbackData, lines, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { smartMode, variantOf } from '../operations/kinds/smart-mode.ts';
import { orTimeout } from '../platform/retry.ts';
import { BW_GUARANTEE_FEE_TRX } from '../rental-api/amounts.ts';
import type { SmartModeSubscription } from '../rental-api/schemas.ts';
import { toPrintable } from '../rental-api/schemas.ts';

const NAME = smartMode.name;
/** Maximum number of subscriptions that are shown, each with a row of buttons. No user has that many. */
const MAX_SHOWN = 20;
const LABEL_LENGTH = 32;
const SURE = 'sure';
/** Maximum time that a tap waits for the service, in milliseconds. The user can tap again. */
const WITHIN_MS = 5_000;

type Action = 'pause' | 'resume' | 'end';

/** Creates the feature of Smart Mode: the subscriptions with their actions, and the questions for a new one. */
export const smartModeFeature = defineFeature((deps) => {
  const flow = moneyFlow(deps, {
    name: NAME,
    menu: { button: 'button-smart-mode', place: 'main', for: 'linked', merchants: 'more' },
    command: { name: 'smart', text: 'command-smart-mode' },
    kind: smartMode,
    version: 1,
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
    async nextStep(_ctx, { account }, state) {
      const isStarted = state.step === CARD && (state.action ?? 'start') === 'start';
      if (!isStarted) return state;
      const variant = variantOf(state.guarantee);
      return { ...state, transferFee: await deps.operations.lastPrices.transferFee(account, NAME, variant) };
    },
    steps: {
      address: addressStep<MoneyState>({
        addressBook: deps.addressBook,
        help: 'sender',
        ask: (words, known) => words.html('smart-mode-address', { known }),
        onAnswer: (state, address) => ({ ...state, address, step: 'label' }),
      }),
      label: leftOut((state) => ({ ...state, label: undefined, step: 'guarantee' }), {
        ask: ({ words }, { address = '' }) => ({ html: words.html('smart-mode-label', { address }) }),
        choices: ({ words }) => [[answerButton(words.plain('button-no-label'), 'none')]],
        onChoice: (_ctx, state) => ({ ...state, label: undefined, step: 'guarantee' }),
        onText: ({ words }, state, said) => {
          const label = toPrintable(said, LABEL_LENGTH + 1);
          return label === '' || [...label].length > LABEL_LENGTH
            ? { ...state, problem: words.html('problem-label') }
            : { ...state, label, step: 'guarantee' };
        },
        back: 'address',
      }),
      // On by default, as at the service (section 4, endpoint 6). The card shows that, and its price.
      guarantee: leftOut((state) => ({ ...state, guarantee: true, step: CARD }), {
        ask: ({ words }, { address = '' }) => ({
          html: words.html('smart-mode-guarantee', { address, extra: BW_GUARANTEE_FEE_TRX }),
        }),
        choices: ({ words }) => [
          [
            answerButton(words.plain('button-guarantee-on'), 'on'),
            answerButton(words.plain('button-guarantee-off'), 'off'),
          ],
        ],
        onChoice: (_ctx, state, value) => ({ ...state, guarantee: value === 'on', step: CARD }),
        back: 'label',
      }),
      [SURE]: choiceStep<MoneyState>({
        ask: ({ words }, { address = '', label = '' }) => ({
          html: words.html('smart-mode-sure', { address, label }),
        }),
        choices: ({ words }) => [[answerButton(words.plain('button-end-it'), 'yes')]],
        onChoice: (_ctx, state) => ({ ...state, step: CARD }),
      }),
    },
  });

  const list = screen(deps, {
    name: NAME,
    read: (rental, apiKey) => rental.subscriptions(apiKey),
    view: listView,
  });

  /** Starts an action on an existing subscription. Reads it again, so that the card shows the right address. */
  const act =
    (action: Action): ButtonHandler =>
    (ctx, argument) =>
      withAccount(deps, ctx, async ({ apiKey }, { tail }) => {
        const { words } = ctx;
        const outcome = await orTimeout(deps.rental.subscriptions(apiKey), WITHIN_MS);
        if (outcome?.kind !== 'accepted') {
          await show(ctx, readProblem(words, { tail, again: callbackData(NAME, 'open') }, outcome));
          return;
        }
        const found = outcome.value.find(({ id }) => String(id) === argument);
        if (found === undefined) {
          ctx.toast = words.plain('toast-no-subscription');
          await show(ctx, listView(words, outcome.value));
          return;
        }
        const { id: subscription, address, label } = found;
        const step = action === 'end' ? SURE : CARD;
        const start = { step, action, subscription, address, ...(label && { label }) } satisfies MoneyState;
        ctx.flowToEnter = { feature: NAME, start };
      });

  return {
    ...flow,
    open: list.open,
    buttons: {
      start: flow.open,
      pause: act('pause'),
      resume: act('resume'),
      end: act('end'),
    },
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
  const number = at + 1;
  const turning = { active: 'pause', paused: 'resume' } as const;
  const turn = status === 'active' || status === 'paused' ? turning[status] : undefined;
  return [
    ...(turn
      ? [{ text: words.plain(`button-${turn}`, { number }), callback_data: callbackData(NAME, turn, id) }]
      : []),
    { text: words.plain('button-end', { number }), callback_data: callbackData(NAME, 'end', id) },
  ];
}

/** Creates a question with an optional answer. `unsaid` applies if a command doesn't contain the answer. */
function leftOut(
  unsaid: (state: MoneyState) => MoneyState,
  about: Parameters<typeof choiceStep<MoneyState>>[0],
): Step<MoneyState> {
  return { ...choiceStep<MoneyState>(about), stateIfOmitted: unsaid };
}
