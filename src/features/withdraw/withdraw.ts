import { BigNumber } from 'bignumber.js';
import {
  ADDRESS_WAIT_MS,
  type AddressAnnouncement,
  blockedUntil,
  isOver,
} from '../../accounts/address-announcements.ts';
import { linkOf, payerOf } from '../../bot/accounts.ts';
import { withSavedAddress } from '../../bot/address-input.ts';
import type { BotContext, Payer } from '../../bot/context.ts';
import { answerButton, type Step } from '../../bot/dialogue.ts';
import { changes, defineFeature, MESSAGE_TTL_MS } from '../../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../../bot/money-flow.ts';
import { cancelCardsAfterCommit } from '../../bot/operation-card.ts';
import { edit, removeTappedButtons, renewTappedButton, send, showText, showToast } from '../../bot/reply.ts';
import { addressStep } from '../../bot/steps/addresses.ts';
import { trxAmountStep } from '../../bot/steps/amounts.ts';
import { formatTime, momentVariables, paragraphs, type Words } from '../../i18n/texts.ts';
import { parseTypedTrx } from '../../input/numbers.ts';
import { separateAddresses } from '../../input/order-text.ts';
import { isAll, mayBeMistypedCode, readWithdrawalText } from '../../input/withdrawal-text.ts';
import {
  ANNOUNCED_ADDRESS_FEATURE,
  announcementView,
  blockEndVariables,
  endedAnnouncement,
} from '../../notifications/address-notification.ts';
import type { OperationRequest } from '../../operations/kinds/kind.ts';
import { type WithdrawalRequest, withdrawal, withFee } from '../../operations/kinds/withdrawal.ts';
import { isUncertain, isUnresolved, type Operation } from '../../operations/operation.ts';
import { MINUTE_MS } from '../../platform/clock.ts';
import { downToWholeSun, formatTrx, readAddressInput, WITHDRAWAL_FEE_TRX } from '../../rental-api/tron.ts';
import { addressProblem } from '../../views/address-problem.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View } from '../../views/view.ts';
import { press } from '../views/press.ts';
import { findEarlierWithdrawal } from './earlier-withdrawal.ts';
import { createCodelessWithdrawals, type WithdrawalDeps } from './withdrawal-address.ts';

const ALL = 'all';
const FEE = WITHDRAWAL_FEE_TRX;

/** Number of the user's latest withdrawals whose recipients are offered. */
const RECIPIENTS_READ = 20;

export const withdrawFeature = defineFeature((deps: WithdrawalDeps) => {
  const targetOf = (request: OperationRequest) => deps.operations.kinds.of(request).target(request);
  const codelessWithdrawals = createCodelessWithdrawals(deps);

  /** Sets the amount to the whole balance less the fee. If it changes before sending, nothing is sent. */
  async function withWholeBalance(ctx: BotContext, payer: Payer, state: MoneyState): Promise<MoneyState> {
    const { balance } = await codelessWithdrawals.balanceAndLimit(payer);
    const rest = downToWholeSun(new BigNumber(balance ?? 0).minus(FEE));
    if (rest.gt(0)) return { ...state, trx: formatTrx(rest), all: true };
    const problem =
      balance === undefined
        ? ctx.words.html('operation-no-balance')
        : ctx.words.html('problem-withdrawal-none', { balance, fee: FEE });
    return { ...state, step: 'amount', problem };
  }

  /**
   * Applies the balance and, without codes, the daily limit. Then also asks for the end of an address that resembles a
   * known one.
   */
  async function nextStep(ctx: BotContext, payer: Payer, answered: MoneyState): Promise<MoneyState> {
    if (answered.step !== CARD && answered.step !== 'address') return answered;
    const { words } = ctx;
    const state =
      answered.step === CARD && answered.all ? await withWholeBalance(ctx, payer, answered) : answered;
    if (state.problem !== undefined) return state;
    const { left, balance } = await codelessWithdrawals.balanceAndLimit(payer);
    const capLeft = left;
    const total = new BigNumber(withFee(state.trx ?? '0'));
    const isOverLimit = left !== undefined && total.gt(left);
    // Otherwise, the card's own check says which balance is missing.
    const isBalanceChecked = state.step === 'address' || (isOverLimit && state.all !== true);
    if (balance !== undefined && isBalanceChecked && total.gt(balance)) {
      const problem = words.html('problem-withdrawal-more', { balance, fee: FEE });
      return { ...state, step: 'amount', problem };
    }
    if (left === undefined) return state;
    const { trx: cap } = deps.operations.dailyCap;
    if (isOverLimit) {
      const most = new BigNumber(left).minus(FEE);
      // Reduces the whole balance to the amount that the limit allows.
      if (state.all && most.gt(0))
        return nextStep(ctx, payer, { ...state, trx: formatTrx(most), all: undefined });
      const problem = words.html('problem-withdrawal-cap', { cap, left, fee: FEE });
      return { ...state, step: 'amount', problem };
    }
    if (state.step !== CARD || state.endsTyped === true || state.address === undefined)
      return { ...state, cap, capLeft };
    const lookalike = await codelessWithdrawals.lookalikeOf(ctx, payer, state.address);
    return lookalike === undefined ? { ...state, cap, capLeft } : { ...state, step: 'ends' };
  }

  const flow = moneyFlow<WithdrawalRequest>(deps, {
    name: 'withdraw',
    menu: { button: 'button-withdraw', place: 'balance', for: 'linked', hiddenOnOperatorAccount: true },
    command: { name: 'withdraw', text: 'command-withdraw', linked: true },
    readCommand: readWithdrawalText,
    kind: withdrawal,
    version: 2,
    lastStep: 'address',
    guard: codelessWithdrawals.obstacle,
    lookalikeOf: codelessWithdrawals.lookalikeOf,
    intercept: codelessWithdrawals.intercept,
    nextStep,
    request: ({ address, trx, all, cap, capLeft }) =>
      address === undefined || trx === undefined
        ? undefined
        : { kind: 'withdrawal', address, trx, ...(all && { all }), ...(cap && { cap, capLeft }) },
    answersOf: ({ address, trx, all, cap }, isReplacement) => ({
      address,
      trx,
      all,
      ...(isReplacement && cap !== undefined && { endsTyped: true }),
    }),
    complete: async (request, payer) => ({
      ...request,
      earlier: await findEarlierWithdrawal(deps, payer, request.address),
    }),
    estimate: async (_payer, { trx }) => ({ trx: withFee(trx) }),
    steps: {
      amount: acceptsBoth(
        trxAmountStep<MoneyState>({
          help: 'withdrawal',
          async ask(ctx, state) {
            const address = addressOf(state);
            const payer = await payerOf(deps, ctx);
            const { left, balance } = payer ? await codelessWithdrawals.balanceAndLimit(payer) : {};
            const { trx: cap } = deps.operations.dailyCap;
            return paragraphs(
              ctx.words.html('withdrawal-amount', { fee: FEE }),
              address && ctx.words.html('withdrawal-to', { address }),
              balance && ctx.words.html('operation-balance', { balance }),
              left && ctx.words.html('withdrawal-limited', { cap, left }),
            );
          },
          choices: ({ words }) => [[answerButton(words.plain('button-withdraw-all'), ALL)]],
          async onChoice(ctx, state) {
            const payer = await payerOf(deps, ctx);
            return payer
              ? withWholeBalance(ctx, payer, { ...state, step: 'address' })
              : { ...state, step: CARD };
          },
          onAnswer: (state, trx) => ({ ...state, trx, all: undefined, step: 'address' }),
        }),
      ),
      address: acceptsBoth(
        withKnownAddress(
          addressStep<MoneyState>({
            addressBook: deps.addressBook,
            help: 'withdrawal',
            ask: (words, state) => paragraphs(words.html('withdrawal-address'), amountLine(words, state)),
            // An unnamed address that was only bought for may be another person's.
            async offered(ctx, known) {
              const about = { size: RECIPIENTS_READ, kind: withdrawal.name };
              const { operations } = await deps.operations.history.page(ctx.from.id, about);
              const sent = operations
                .filter(({ state }) => state === 'done')
                .map(({ request }) => targetOf(request));
              return known.filter(({ address, name }) => name !== undefined || sent.includes(address));
            },
            async rejectionOf(ctx, address) {
              const payer = await payerOf(deps, ctx);
              const own = payer && (await deps.quotes.deposit(payer));
              return own?.address === address
                ? ctx.words.html('problem-withdrawal-own', { address })
                : undefined;
            },
            onAnswer: (state, address) => ({ ...state, address, endsTyped: undefined, step: CARD }),
            back: 'amount',
          }),
        ),
      ),
      ends: addressEndsStep,
    },
  });
  return {
    ...flow,
    restart: flow.restart && { ...flow.restart, answersIn },
    // The first question names the balance, the fee and the daily limit.
    words: [
      ...['withdrawal', 'withdrawals', 'вывод', 'выводы', 'withdraw money', 'withdraw my money'],
      ...['вывести деньги', 'вывести мои деньги'],
      ...['how much can i withdraw', 'how much may i withdraw', 'what can i withdraw', 'withdrawal limit'],
      ...['how much can i withdraw today', 'how much can i withdraw now', 'daily limit'],
      ...['сколько я могу вывести', 'сколько могу вывести', 'сколько можно вывести', 'лимит вывода'],
      ...['сколько я могу вывести сегодня', 'сколько можно вывести сегодня', 'дневной лимит'],
    ],
  };
});

/** Reads another recipient or amount below a withdrawal's card. */
function answersIn(request: OperationRequest, text: string): Partial<MoneyState> | undefined {
  if (mayBeMistypedCode(text)) return undefined;
  const { to, said } = separateAddresses(text);
  const all = isAll(said) || undefined;
  const trx = parseTypedTrx(said);
  if (said === '' ? to === '' : trx === undefined && all === undefined) return undefined;
  const amount = said !== '' && { trx, all };
  if (to !== '') return { ...amount, givenAddress: to, step: 'address' };
  // The end of the same address was typed before.
  const { cap } = withdrawal.request.parse(request);
  return { ...amount, ...(cap !== undefined && { endsTyped: true }), step: CARD };
}

/** Returns the address that the user sent before its question, or before a repeated question for the amount. */
const addressOf = ({ givenAddress, address }: MoneyState) => givenAddress ?? address;

/** Wraps the question for the address: another amount doesn't ask for it again. */
function withKnownAddress(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    stateIfKnown: async (ctx, state) =>
      step.stateIfKnown?.(ctx, { ...state, givenAddress: addressOf(state) }),
  };
}

/** Returns the amount that the address question is about. */
function amountLine(words: Words, { trx, all, capLeft }: MoneyState): string | undefined {
  if (trx === undefined) return undefined;
  const isLimit = capLeft !== undefined && new BigNumber(withFee(trx)).eq(capLeft);
  return words.html('withdrawal-address-amount', { trx, how: all ? 'all' : isLimit ? 'limit' : 'typed' });
}

/**
 * Wraps a question: a text with an address and an amount answers both questions, in any order. An address that answers the
 * question for the amount is kept.
 */
function acceptsBoth(step: Step<MoneyState>): Step<MoneyState> {
  return {
    ...step,
    async onText(ctx, state, typed) {
      if (!step.asksForAddress && step.onChoice && isAll(typed)) return step.onChoice(ctx, state, ALL, false);
      const isAmount = parseTypedTrx(typed) !== undefined;
      const text = (isAmount ? undefined : await withSavedAddress(ctx, typed)) ?? typed;
      const { to, said } = separateAddresses(text);
      if (state.step === 'amount' && to !== '' && said === '') {
        const given = readAddressInput(to);
        if (given.kind === 'address') return { ...state, givenAddress: to };
        // The question itself names the problem of an address of another chain.
        if (given.kind !== 'other-chain') return { ...state, problem: addressProblem(ctx.words, given) };
      }
      const trx = to === '' ? undefined : parseTypedTrx(said);
      if (trx === undefined) return step.onText?.(ctx, state, text) ?? state;
      return { ...state, trx, all: undefined, givenAddress: to, step: 'address' };
    },
  };
}

const ENDING_LENGTH = 6;

/** Asks for the end of the address. A replaced address has another end, so the user notices it. */
const addressEndsStep: Step<MoneyState> = {
  back: 'address',
  help: 'withdrawal',
  // Shows the address without its end, so that the user can't copy the end from here.
  ask: ({ words }, { address = '' }) =>
    words.html('withdrawal-ends', { begins: address.slice(0, -ENDING_LENGTH), count: ENDING_LENGTH }),
  onText({ words }, state, text) {
    const typed = text.replace(/\s/g, '');
    if (state.address !== undefined && typed === state.address.slice(-ENDING_LENGTH))
      return { ...state, endsTyped: true, step: CARD };
    const isWhole = typed === state.address;
    const problem = words.html(isWhole ? 'problem-ends-whole' : 'problem-ends', { count: ENDING_LENGTH });
    return { ...state, problem };
  },
};

/** Latest operations among which a request to cancel finds the running ones, and maximum number of those shown. */
const RUNNING_SEARCHED = 20;
const MAX_RUNNING = 3;

/** Time during which a withdrawal that was about to be sent may still be executed, in milliseconds. */
const MAX_EXECUTION_MS = 10 * MINUTE_MS;

const dataOf = (name: string, id: string) => callbackData(ANNOUNCED_ADDRESS_FEATURE, name, id);

/** Creates the buttons of announced addresses, for the holders of the account. */
export const announcedFeature = defineFeature((deps: WithdrawalDeps) => {
  const { addressAnnouncements, addressNotifications, operations, now } = deps;

  /** Finds an announced address of the currently linked account only. */
  async function find(ctx: BotContext, id: string) {
    const link = await linkOf(deps, ctx);
    return link && addressAnnouncements.find(link.account, id);
  }

  /** Returns why a block of the address may come too late, `none` if nothing was sent. */
  function lateness({ reservedAt, usedAt }: AddressAnnouncement): 'made' | 'started' | 'none' {
    if (usedAt !== undefined) return 'made';
    return reservedAt !== undefined && now() - reservedAt < MAX_EXECUTION_MS ? 'started' : 'none';
  }

  function blockedText({ from, words }: BotContext, announced: AddressAnnouncement): string {
    const { address, cancelledBy, account } = announced;
    const by = cancelledBy === from.id ? 'reader' : 'other';
    const late = lateness(announced);
    return words.html('address-blocked-now', {
      address,
      by,
      account: String(account),
      late,
      ...blockEndVariables(words, blockedUntil(announced)),
    });
  }

  /** Shows what has become of the announced withdrawal, and removes the buttons of its message. */
  async function showOver(
    ctx: BotContext,
    tap: 'card' | 'cancel' | 'block',
    announced: AddressAnnouncement | undefined,
  ): Promise<void> {
    ctx.tx.afterCommit(() => removeTappedButtons(ctx));
    if (announced === undefined) return showToast(ctx, 'toast-over');
    const { address, trx, cancelledAt, abandonedAt, reservedAt = 0, firstUsedAt } = announced;
    if (cancelledAt !== undefined) return void (await showText(ctx, blockedText(ctx, announced)));
    if (abandonedAt !== undefined)
      return void (await showText(ctx, endedAnnouncement(ctx.words, announced, ctx.from.id).html));
    const state = firstUsedAt === undefined ? 'confirmed' : 'sent';
    const at = momentVariables(firstUsedAt ?? reservedAt, formatTime);
    await showText(ctx, ctx.words.html('address-over', { tap, state, address, trx, ...at }));
  }

  /** Shows that an announcement has expired, or is of an account that isn't linked now. */
  async function showExpired(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    ctx.tx.afterCommit(() => removeTappedButtons(ctx));
    const again = button(words, 'button-try-again', callbackData('withdraw', 'open'));
    await showText(ctx, words.html('address-not-confirmed'), [again]);
  }

  const ownView = ({ at }: AddressAnnouncement) => (now() < at + ADDRESS_WAIT_MS ? 'hold' : 'offered');

  /** Shows the announcement in its message, with `question` and its buttons if given, otherwise with its own buttons. */
  async function redraw(
    ctx: BotContext,
    message: number,
    announced: AddressAnnouncement,
    question?: View,
  ): Promise<void> {
    const { from, words } = ctx;
    const isOwn = announced.user === from.id;
    const view =
      !isOwn && announced.firstUsedAt !== undefined
        ? endedAnnouncement(words, announced, from.id)
        : await announcementView(deps, words, isOwn ? ownView(announced) : 'announced', announced);
    const { html, keyboard } = question ?? view;
    const shown = question ? { html: paragraphs(view.html, html), keyboard } : view;
    if (!(await edit(ctx, message, shown))) await send(ctx, shown);
  }

  /** Returns the announcement whose address the user can block. Shows why it can't be blocked otherwise. */
  async function blockable(ctx: BotContext, id: string): Promise<AddressAnnouncement | undefined> {
    const announced = await find(ctx, id);
    const isOwn = announced?.user === ctx.from.id;
    const { cancelledAt, abandonedAt, usedAt } = announced ?? {};
    const isEnded = [cancelledAt, abandonedAt, isOwn ? usedAt : undefined].some((at) => at !== undefined);
    if (announced && !isEnded) return announced;
    await showOver(ctx, 'block', announced);
    return undefined;
  }

  /** Cancels the open card of a withdrawal to this address. It couldn't be sent any more. */
  async function cancelCardFor(ctx: BotContext, address: string): Promise<void> {
    const { draft } = ctx.session;
    const open = draft && (await operations.drafts.open({ user: ctx.from.id, id: draft.operation }));
    if (
      open?.request.kind !== withdrawal.name ||
      operations.kinds.of(open.request).target(open.request) !== address
    )
      return;
    delete ctx.session.draft;
    delete ctx.session.card;
    cancelCardsAfterCommit(deps, ctx, ctx.words, { draft });
  }

  /** Removes the buttons of the announcements' messages. The `tapped` one shows the reply or loses its buttons by itself. */
  function endAfterCommit(ctx: BotContext, all: readonly AddressAnnouncement[], message: number): void {
    ctx.tx.afterCommit(() => removeTappedButtons(ctx));
    const tapped = { chat: ctx.from.id, message };
    for (const announced of all)
      ctx.tx.afterCommit(async () => void (await addressNotifications.ended(announced, tapped)));
  }

  /** Returns whether an operation was charged, or may have been, and isn't over. It can't be cancelled any more. */
  function isRunning(operation: Operation): boolean {
    const kind = operations.kinds.of(operation.request);
    if (operation.state !== 'done') return isUnresolved(operation) && !kind.isFree?.(operation.request);
    return kind.withdrawalAmount !== undefined && operation.result.status === 'pending';
  }

  /**
   * Shows the user's withdrawals that wait for their confirmation, each with its *Cancel*, and the receipts of what can't be
   * cancelled any more. Without any, the question or card that is open is shown again by itself, or else the open invoice.
   */
  async function showWaiting(ctx: BotContext): Promise<void> {
    const { from, session, tx, words } = ctx;
    const link = await linkOf(deps, ctx);
    const waiting = link
      ? await addressAnnouncements.waitingOf({ user: from.id, account: link.account })
      : [];
    for (const announced of waiting) {
      const message = await send(ctx, await announcementView(deps, words, ownView(announced), announced));
      tx.afterCommit(() => addressAnnouncements.addMessage(announced.account, announced.id, message));
    }
    const { operations: latest } = await operations.history.page(from.id, { size: RUNNING_SEARCHED });
    const running = latest
      .filter((one) => one.account === link?.account && isRunning(one))
      .slice(0, MAX_RUNNING);
    for (const operation of running) {
      const { html, keyboard } = await deps.card(words, operation);
      const state = isUncertain(operation) ? 'unknown' : 'going';
      const what = operations.kinds.of(operation.request).withdrawalAmount ? 'withdrawal' : 'purchase';
      await send(ctx, { html: paragraphs(words.html('cancel-too-late', { what, state }), html), keyboard });
    }
    const isOpen = tx.conversation !== undefined || (session.card ?? session.code) !== undefined;
    if (waiting.length + running.length > 0 || isOpen) return;
    // An open invoice is what is left to cancel.
    await press(deps, ctx, { feature: 'questions', button: 'unwanted' });
  }

  return {
    name: ANNOUNCED_ADDRESS_FEATURE,
    keepsFlow: true,
    buttonWords: {
      waiting: [
        ...['cancel', 'stop', 'cancel withdrawal', 'cancel my withdrawal', 'cancel the withdrawal'],
        ...['cancel it', 'stop withdrawal', 'stop my withdrawal', 'stop the withdrawal'],
        ...['отмена', 'стоп', 'отмени', 'отмените', 'отменить', 'отмена вывода', 'отмени вывод'],
        ...['отмените вывод', 'отменить вывод', 'отмени мой вывод', 'отменить мой вывод'],
        ...['останови вывод', 'остановите вывод', 'остановить вывод'],
        ...['cancel order', 'cancel my order', 'cancel the order', 'cancel purchase', 'cancel my purchase'],
        ...['отмени заказ', 'отмените заказ', 'отменить заказ', 'отмена заказа', 'отмени покупку'],
      ],
    },
    buttons: {
      waiting: showWaiting,
      async again(ctx, givenAddress) {
        ctx.flowToEnter = { feature: 'withdraw', start: { step: 'amount', givenAddress } };
      },
      async 'ask-block'(ctx, id, message) {
        const announced = await blockable(ctx, id);
        if (announced === undefined) return;
        const { words } = ctx;
        await redraw(ctx, message, announced, {
          html: words.html('address-block-ask', { account: String(announced.account) }),
          keyboard: [
            [button(words, 'button-block-address-yes', dataOf('block', id), 'danger')],
            [button(words, 'button-back', dataOf('keep', id))],
          ],
        });
      },
      async keep(ctx, id, message) {
        const announced = await blockable(ctx, id);
        if (announced) await redraw(ctx, message, announced);
      },
      block: changes(async (ctx, id, message) => {
        if ((await blockable(ctx, id)) === undefined) return;
        const link = await linkOf(deps, ctx);
        ctx.tx.signal.throwIfAborted();
        const blocked = link && (await addressAnnouncements.cancel(link.account, id, ctx.from.id));
        if (blocked === undefined) return showOver(ctx, 'block', undefined);
        const all = [blocked, ...(await addressAnnouncements.blockedWith(blocked))];
        for (const one of all) {
          // Notifies once, even if an earlier attempt has already rejected the address.
          if (one.user === ctx.from.id || one.isUserNotified || one.abandonedAt !== undefined) continue;
          await addressNotifications.blocked(one);
          await addressAnnouncements.markUserNotified(one);
        }
        if (all.some(({ user }) => user === ctx.from.id)) await cancelCardFor(ctx, blocked.address);
        endAfterCommit(ctx, all, message);
        await showText(ctx, blockedText(ctx, blocked));
      }, MESSAGE_TTL_MS),
      cancel: changes(async (ctx, id, message) => {
        const link = await linkOf(deps, ctx);
        ctx.tx.signal.throwIfAborted();
        const announced = link && (await addressAnnouncements.abandon(link.account, ctx.from.id, id));
        if (announced?.abandonedAt === undefined) return showOver(ctx, 'cancel', announced);
        await cancelCardFor(ctx, announced.address);
        endAfterCommit(ctx, [announced], message);
        await showText(ctx, endedAnnouncement(ctx.words, announced, ctx.from.id).html);
      }, MESSAGE_TTL_MS),
      card: changes(async (ctx, id) => {
        const announced = await find(ctx, id);
        if (announced === undefined) return showExpired(ctx);
        if (announced.user !== ctx.from.id) return showOver(ctx, 'card', undefined);
        const { address, trx, all } = announced;
        // A used address can't be offered again. Another withdrawal begins with its questions.
        if (isOver(announced)) return showOver(ctx, 'card', announced);
        // The tap has used up the button's token. The card may expire, so the button gets another one.
        ctx.tx.afterCommit(() => renewTappedButton(ctx));
        const start = { step: CARD, address, trx, all, endsTyped: true };
        ctx.flowToEnter = { feature: 'withdraw', start };
      }, MESSAGE_TTL_MS),
    },
  };
});
