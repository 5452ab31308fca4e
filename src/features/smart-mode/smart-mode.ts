import { BigNumber } from 'bignumber.js';
import { payerOf, withReading } from '../../bot/accounts.ts';
import type { BotContext, Payer } from '../../bot/context.ts';
import { answerButton, FLOW_ENDS, type Step } from '../../bot/dialogue.ts';
import { changes, defineFeature, type FeatureDeps } from '../../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../../bot/money-flow.ts';
import { CONFIRMABLE_AFTER_MS, confirmAtOnce } from '../../bot/operation-card.ts';
import { addHeader, send, show, showToast } from '../../bot/reply.ts';
import { addressStep } from '../../bot/steps/addresses.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { isQuestion } from '../../input/secret-text.ts';
import type { SendQueue } from '../../operations/execute.ts';
import {
  type CardFees,
  feeLines,
  isAlready,
  knownFees,
  smartMode,
} from '../../operations/kinds/smart-mode.ts';
import { orTimeout } from '../../platform/async.ts';
import { isRecent } from '../../platform/clock.ts';
import { type SmartModeSubscription, toPrintable } from '../../rental-api/schemas.ts';
import { BW_GUARANTEE_FEE_TRX, formatTrx } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { type Action, feesOf, listView, readList, type SubscriptionList } from './list.ts';

const NAME = smartMode.name;
const LABEL_LENGTH = 32;
/** Timeout for reading subscriptions or prices, in milliseconds. The card is shown without them then. */
const READ_TIMEOUT_MS = 3_000;

interface SmartModeDeps extends FeatureDeps {
  sendQueue: Pick<SendQueue, 'enqueueClaim'>;
  /** Minimum age of a list whose buttons confirm by themselves, in milliseconds. Only tests set it. */
  confirmableAfterMs?: number | undefined;
}

/** Time of a list whose message has become the receipt of a change. Another change gets a new list. */
const USED = 0;

export const smartModeFeature = defineFeature((deps: SmartModeDeps) => {
  const { operations, now } = deps;
  const { confirmableAfterMs = CONFIRMABLE_AFTER_MS } = deps;

  const flow = moneyFlow(deps, {
    name: NAME,
    menu: { button: 'button-smart-mode', place: 'main', for: 'linked', merchants: 'more' },
    command: { name: 'smart', text: 'command-smart-mode', linked: true },
    kind: smartMode,
    version: 2,
    lastStep: 'guarantee',
    lastStepOf: ({ action }) => (action === 'start' ? undefined : FLOW_ENDS.back),
    request(state) {
      const request = smartMode.request.safeParse({ ...state, kind: NAME, action: state.action ?? 'start' });
      return request.data;
    },
    answersOf: ({ kind: _, ...asked }) => asked,
    // A fee that another account paid is no reason to refuse the card.
    estimate: async (_, { fees }) => (fees?.daily?.isOwn ? { trx: fees.daily.trx } : undefined),
    async nextStep(ctx, payer, state) {
      if (state.action === 'resume' && state.step === CARD) {
        const { subscriptions = [] } = (await listOf(ctx, payer)) ?? {};
        const resumed = subscriptions.find(({ id }) => id === state.subscription);
        return resumed ? { ...state, ...(await resumedFees(payer, resumed)) } : state;
      }
      if ((state.action ?? 'start') !== 'start') return state;
      // The card is replaced by the list of what the address has, so the other questions aren't needed.
      if (state.step === 'label')
        return (await hasSubscription(ctx, payer, state)) ? { ...state, step: CARD } : state;
      if (state.step !== CARD) return state;
      const [isListed, fees] = await Promise.all([
        hasSubscription(ctx, payer, state),
        cardFees(payer, state.guarantee === true),
      ]);
      return { ...state, fees: isListed ? undefined : fees };
    },
    async intercept(ctx, payer, { action, address }) {
      if (action !== 'start' || !(await hasSubscription(ctx, payer, { address }))) return false;
      const { subscriptions = [], transfers } = (await listOf(ctx, payer)) ?? {};
      const own = { subscriptions: subscriptions.filter((one) => one.address === address), transfers };
      await showList(ctx, own, payer, { heading: 'smart-mode-already' });
      return true;
    },
    steps: {
      address: withFeesOnRequest(
        addressStep<MoneyState>({
          addressBook: deps.addressBook,
          help: 'smart-mode',
          ask: (words) => words.html('smart-mode-address'),
          onAnswer: (state, address) => ({ ...state, address, step: 'label' }),
        }),
      ),
      label: withFeesOnRequest(
        optionalStep((state) => ({ ...state, label: undefined, step: 'guarantee' }), {
          ask: ({ words }, { address = '' }) => words.html('smart-mode-label', { address }),
          choices: ({ words }) => [[answerButton(words.plain('button-skip'), 'none')]],
          onChoice: (_ctx, state) => ({ ...state, label: undefined, step: 'guarantee' }),
          onText: ({ words, aside }, state, text) => {
            // A greeting or a question gets a reply and isn't the name.
            if (aside?.isExact || isQuestion(text)) return { ...state, problem: words.html('problem-label') };
            const label = toPrintable(text, LABEL_LENGTH + 1);
            return !/[\p{L}\p{N}]/u.test(label) || [...label].length > LABEL_LENGTH
              ? { ...state, problem: words.html('problem-label') }
              : { ...state, label, step: 'guarantee' };
          },
          back: 'address',
        }),
      ),
      // Off unless the user chooses it, because it costs extra. The service's own default is on (section 4, endpoint 6).
      guarantee: withFeesOnRequest(
        optionalStep((state) => ({ ...state, guarantee: false, step: CARD }), {
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
      ),
    },
  });

  /** Wraps a question: a message about prices gets the fees of Smart Mode as its reply, and then the question again. */
  function withFeesOnRequest(step: Step<MoneyState>): Step<MoneyState> {
    return {
      ...step,
      async onText(ctx, state, text) {
        const { aside } = ctx;
        const payer = aside?.kind === 'feature' && aside.name === 'prices' && (await payerOf(deps, ctx));
        if (!payer)
          return step.onText?.(ctx, state, text) ?? { ...state, problem: ctx.words.html('problem-choice') };
        addHeader(ctx, feeLines(ctx.words, { fees: await cardFees(payer, false) }));
        return state;
      },
    };
  }

  const lists = new WeakMap<BotContext, Promise<SubscriptionList | undefined>>();

  /** Reads the account's list, once for each update. Returns `undefined` if the service doesn't respond in time. */
  function listOf(ctx: BotContext, { read }: Pick<Payer, 'read'>): Promise<SubscriptionList | undefined> {
    const reading =
      lists.get(ctx) ??
      orTimeout(read(readList), READ_TIMEOUT_MS).then((listed) =>
        listed?.kind === 'accepted' ? listed.value : undefined,
      );
    lists.set(ctx, reading);
    return reading;
  }

  async function hasSubscription(ctx: BotContext, payer: Payer, { address }: Pick<MoneyState, 'address'>) {
    const { subscriptions = [] } = (await listOf(ctx, payer)) ?? {};
    return subscriptions.some((one) => one.address === address);
  }

  /** Returns what is known about the fees, and the service's price of a single transfer for comparison. */
  async function cardFees({ account, read }: Payer, guarantee: boolean): Promise<CardFees> {
    const [remembered, listed] = await Promise.all([
      operations.fees.recall(account, NAME),
      orTimeout(
        read((reads) => reads.packageTiers()),
        READ_TIMEOUT_MS,
      ),
    ]);
    const prices = listed?.kind === 'accepted' ? listed.value : undefined;
    const guaranteeFee = prices?.bw_fee_per_transfer ?? BW_GUARANTEE_FEE_TRX;
    const single = prices?.single_transfer_price;
    return {
      ...knownFees(remembered, { guarantee, guaranteeFee }),
      guarantee: guaranteeFee,
      ...(single !== undefined && {
        singleTransfer: formatTrx(new BigNumber(single).plus(guarantee ? guaranteeFee : 0)),
      }),
    };
  }

  /** Returns what the receipt of a resumed subscription says about its fees. */
  async function resumedFees({ account }: Holder, subscription: SmartModeSubscription) {
    const remembered = await operations.fees.recall(account, NAME);
    const { fees } = await feesOf(subscription, { operations, account, remembered });
    return { guarantee: subscription.bw_guarantee, fees: { ...fees, guarantee: BW_GUARANTEE_FEE_TRX } };
  }

  async function showList(
    ctx: BotContext,
    list: SubscriptionList,
    { account }: { account: number },
    { heading = 'smart-mode-list', showBy = show }: { heading?: TextKey; showBy?: typeof show } = {},
  ): Promise<void> {
    const holders = await deps.links.holders(account);
    const user = ctx.from.id;
    const view = await listView(ctx.words, list, { operations, user, account, holders, heading });
    ctx.session.listShownAt = now();
    await showBy(ctx, view);
  }

  type Holder = Pick<Payer, 'user' | 'account' | 'usesOperatorAccount'>;

  const withList = (ctx: BotContext, use: (list: SubscriptionList, holder: Holder) => Promise<unknown>) =>
    withReading(deps, ctx, { read: readList, again: callbackData(NAME, 'open') }, use);

  /** Reads the subscription again, so that the operation is about the right address. */
  const withSubscription = (
    ctx: BotContext,
    id: string,
    use: (subscription: SmartModeSubscription, holder: Holder, list: SubscriptionList) => Promise<unknown>,
  ) =>
    withList(ctx, async (list, holder) => {
      const found = list.subscriptions.find((one) => String(one.id) === id);
      if (found) return use(found, holder, list);
      showToast(ctx, 'toast-smart-mode-gone');
      return showList(ctx, list, holder);
    });

  function openCard(ctx: BotContext, action: Action, { id, address, label }: SmartModeSubscription): void {
    const start: MoneyState = { step: CARD, action, subscription: id, address, label: label ?? undefined };
    ctx.flowToEnter = { feature: NAME, start };
  }

  /** Pauses or resumes without a card, if possible. */
  const toggle = (action: 'pause' | 'resume') =>
    changes((ctx, argument, message) =>
      withSubscription(ctx, argument, async (subscription, payer, list) => {
        const { listShownAt } = ctx.session;
        if (isAlready(action, subscription)) {
          ctx.toast = ctx.words.plain('toast-smart-mode-already', { action });
          return showList(ctx, list, payer, { showBy: listShownAt === USED ? send : show });
        }
        if (listShownAt === USED) {
          showToast(ctx, 'toast-card-over');
          return showList(ctx, list, payer, { showBy: send });
        }
        // The token of the tapped button is used up, so the list needs new ones.
        if (listShownAt !== undefined && isRecent(listShownAt, confirmableAfterMs, now())) {
          showToast(ctx, 'toast-card-new');
          return showList(ctx, list, payer);
        }
        ctx.session.listShownAt = USED;
        const { id, address, label } = subscription;
        const asked = { kind: NAME, action, address, subscription: id, label: label ?? undefined };
        const resumed = action === 'resume' && (await resumedFees(payer, subscription));
        const request = smartMode.request.parse({ ...asked, ...resumed });
        if (!(await confirmAtOnce(deps, ctx, message, { payer, request })))
          openCard(ctx, action, subscription);
        return undefined;
      }),
    );

  async function start(ctx: BotContext): Promise<void> {
    delete ctx.session.listShownAt;
    await flow.open(ctx);
  }

  return {
    ...flow,
    keepsFlow: ['open'],
    forSuspended: ['open', 'pause', 'end'],
    words: [
      ...['smartmode', 'my smart mode', 'смарт мод', 'смартмод', 'смарт режим', 'умный режим'],
      // The list names the fees and what was charged so far.
      ...['how much did smart mode cost', 'how much did smart mode cost me', 'smart mode cost so far'],
      ...['how much has smart mode cost', 'how much has smart mode cost me', 'what did smart mode cost'],
      ...['what did smart mode cost me', 'how much did smart mode charge', 'how much was smart mode'],
      ...['сколько стоил smart mode', 'сколько списал smart mode', 'во сколько обошёлся smart mode'],
    ],
    open: (ctx) => withList(ctx, (list, holder) => showList(ctx, list, holder)),
    buttons: {
      start,
      pause: toggle('pause'),
      resume: toggle('resume'),
      end: (ctx, argument) =>
        withSubscription(ctx, argument, async (subscription) => openCard(ctx, 'end', subscription)),
    },
  };
});

/** `stateIfOmitted` applies if a command doesn't contain the answer. */
function optionalStep(
  stateIfOmitted: (state: MoneyState) => MoneyState,
  step: Step<MoneyState>,
): Step<MoneyState> {
  return { ...step, stateIfOmitted };
}
