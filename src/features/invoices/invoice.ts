import type { KnownAddress } from '../../accounts/address-book.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  type ButtonHandler,
  changes,
  defineFeature,
  type Feature,
  type FeatureDeps,
  handlerOf,
  isByAdmin,
  type RestartPoint,
} from '../../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../../bot/money-flow.ts';
import { addHeader, send, showText, showToast } from '../../bot/reply.ts';
import { addressStep } from '../../bot/steps/addresses.ts';
import { AMOUNT, acceptOrders, energyOrders } from '../../bot/steps/energy-order.ts';
import {
  formatKeyTail,
  formatSpan,
  formatTime,
  htmlToPlainText,
  lines,
  momentVariables,
  timeVariables,
  type Words,
} from '../../i18n/texts.ts';
import { readEnergyOrder } from '../../input/energy-terms.ts';
import { withoutFor } from '../../input/order-text.ts';
import { INVOICE_BUTTONS, INVOICE_LIST, invoiceHeadline } from '../../invoices/card.ts';
import {
  type CardState,
  cardStateOf,
  type Invoice,
  invoiceStateOf,
  isPayable,
  isRevokedFor,
  isTracked,
  listedStateOf,
  rentedUntil,
  TRACKED_AFTER_EXPIRY_MS,
  wasPaid,
} from '../../invoices/invoice.ts';
import { inShort } from '../../operations/card.ts';
import {
  energyOf,
  type InvoiceOperationRequest,
  invoice as kind,
  quantityOf,
} from '../../operations/kinds/invoice.ts';
import type { OperationRequest } from '../../operations/kinds/kind.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { callbackData } from '../../views/callback-data.ts';
import { withMenuButton } from '../../views/view.ts';
import {
  adoptCard,
  createInvoiceMaker,
  findOpened,
  type InvoiceDeps,
  type InvoiceMaker,
  openedInvoices,
  openLink,
  sendInvoiceCard,
} from './invoice-cards.ts';
import { invoiceNoteStep, NOTE, noteIn, OFFERED_NOTE, offeredNoteStep, readNote } from './invoice-note.ts';

const orders = energyOrders();
const MENU_ENTRY = { place: 'main', style: 'primary' } as const;

type MakerChoice = ReturnType<typeof createInvoiceMaker>;

/** Guests make invoices for themselves; users with an account and admins make them for customers. */
export const invoiceFeature = defineFeature((deps: InvoiceDeps) => {
  const maker = createInvoiceMaker(deps);
  const flow = createInvoiceFlow(deps, maker);

  /** Returns the state that repeats an invoice. For another customer it asks for the address and has no note. */
  function start(asked: OperationRequest, at: RestartPoint, about = {}): unknown {
    const wanted = kind.request.parse(asked);
    if (at !== 'one more' || !wanted.shared) return flow.restart?.start(wanted, at, about);
    const { amount, hours, shared } = answersOf(wanted);
    return { amount, hours, shared, step: 'address' } satisfies MoneyState;
  }

  return {
    ...flow,
    restart: {
      kind: kind.name,
      start,
      async insteadOfConfirming(ctx, asked) {
        const same = await findSame(deps, await maker.of(ctx), kind.request.parse(asked));
        if (same) {
          await send(ctx, { html: ctx.words.html('invoice-same-open'), keyboard: [] });
          await sendInvoiceCard(deps, ctx, same);
        }
        return same !== undefined;
      },
      async cardNote(ctx, asked) {
        const { shared, address } = kind.request.parse(asked);
        return earlierInvoices(deps, ctx, { address, shared: shared === true });
      },
      questionAbout(asked, text) {
        const offeredNote = kind.request.parse(asked).shared ? noteIn(text) : undefined;
        return offeredNote === undefined ? undefined : { question: OFFERED_NOTE, answers: { offeredNote } };
      },
    },
    forSuspended: ['show', 'check'],
    keepsFlow: ['check', 'look', 'show', 'opened', 'share', 'revoke', 'newest', 'energy', 'mine', 'unwanted'],
    words: [
      ...['create invoice', 'create an invoice', 'make invoice', 'make an invoice', 'new invoice'],
      ...['выставить счёт', 'выставить счет', 'выстави счёт', 'выстави счет', 'создать счёт', 'создать счет'],
    ],
    buttonWords: {
      newest: [
        ...[
          'paid',
          'i paid',
          'i have paid',
          'i ve paid',
          'already paid',
          'just paid',
          'payment sent',
          'i sent it',
        ],
        ...[
          'оплатил',
          'оплатила',
          'оплачено',
          'заплатил',
          'заплатила',
          'я оплатил',
          'я оплатила',
          'деньги отправил',
        ],
        ...['get my money', 'got my money', 'receive my money', 'received my money', 'see my money'],
        ...['my payment', 'payment received', 'payment arrive', 'payment arrived', 'money arrived'],
        ...[
          'деньги дошли',
          'дошли деньги',
          'деньги пришли',
          'пришли деньги',
          'оплата дошла',
          'оплата пришла',
        ],
        ...['получили деньги', 'получили оплату', 'получили платёж', 'получили платеж', 'оплата прошла'],
        ...['моя оплата', 'мою оплату', 'мой платёж', 'мой платеж', 'платёж прошёл', 'платеж прошел'],
      ],
      unwanted: [
        ...['cancel invoice', 'cancel the invoice', 'cancel my invoice', 'cancel this invoice'],
        ...['delete invoice', 'delete the invoice', 'delete my invoice', 'delete this invoice'],
        ...['отмени счёт', 'отмени счет', 'отмените счёт', 'отмените счет', 'отменить счёт', 'отменить счет'],
        ...['отмена счёта', 'отмена счета', 'отмени мой счёт', 'отмени этот счёт', 'отменить мой счёт'],
        ...['отменить этот счёт', 'удали счёт', 'удали счет', 'удалить счёт', 'удалить счет'],
      ],
      mine: [
        ...['where is my invoice', 'where s my invoice', 'where is the invoice', 'where s the invoice'],
        ...['where invoice', 'where my invoice', 'no invoice', 'where are my invoices'],
        ...['где счёт', 'где счет', 'где мой счёт', 'где мой счет', 'где же счёт', 'где же счет'],
        ...['счёта нет', 'счета нет', 'нет счёта', 'нет счета', 'где мои счета', 'счёт не пришёл'],
        ...['не пришёл счёт', 'не пришел счет', 'счет не пришел'],
      ],
      energy: [
        ...['where is my energy', 'where s my energy', 'where is the energy', 'where energy', 'no energy'],
        ...['my energy', 'energy status', 'order status', 'status'],
        ...['где энергия', 'где моя энергия', 'где же энергия', 'энергии нет', 'нет энергии', 'статус'],
        // Complaints, which would otherwise name what there is to buy.
        ...['my order', 'where is my order', 'not received', 'not arrived', 'not delivered', 'still nothing'],
        ...['didn t arrive', 'didn t come', 'didn t get', 'did not arrive', 'did not come', 'did not get'],
        ...['hasn t arrived', 'haven t received', 'haven t got', 'have not received', 'didn t receive'],
        ...['never arrived', 'never came', 'nothing came', 'nothing arrived', 'nothing received'],
        ...['мой заказ', 'где заказ', 'где мой заказ', 'не пришла', 'не пришло', 'не дошла', 'не поступила'],
        ...['не получил', 'не получила', 'не приходит', 'не доставлена', 'ничего не пришло', 'ещё не пришла'],
      ],
    },
    buttons: {
      ...invoiceButtons(deps, start),
      newest: (ctx) => showNewest(deps, ctx, maker, findNewest),
      energy: (ctx) => showNewest(deps, ctx, maker, findEnergy),
      mine: (ctx) => showAskedFor(deps, ctx, maker),
      unwanted: (ctx) => showUnwanted(deps, ctx),
    },
    onStartLink: (ctx, token) => openLink(deps, ctx, token),
  };
});

function createInvoiceFlow(deps: FeatureDeps, maker: MakerChoice) {
  return moneyFlow<InvoiceOperationRequest, InvoiceMaker>(deps, {
    name: INVOICE_BUTTONS,
    menu: [
      ...(deps.operatorKey === undefined
        ? []
        : [{ ...MENU_ENTRY, button: 'button-energy', for: 'guest' } as const]),
      { ...MENU_ENTRY, button: 'button-invoice-new', for: 'merchant', merchants: 'first' },
    ],
    command: { name: 'invoice', text: 'command-invoice' },
    kind,
    version: 3,
    payer: maker.of,
    async guard(ctx, { account }) {
      if (account !== OPERATOR_ACCOUNT || !(await deps.quotes.isOperatorRefused())) return undefined;
      const { words } = ctx;
      return withMenuButton(
        words,
        isByAdmin(deps, ctx)
          ? words.html('account-key-refused', { tail: formatKeyTail('') })
          : words.html('invoice-unavailable'),
      );
    },
    prepare: (ctx) => void maker.prefetchPrices(ctx).catch(() => undefined),
    lastStep: 'address',
    readText(_ctx, state, text) {
      const { rest, amount, hours } = readEnergyOrder(withoutFor(text), { stopsAtOther: true });
      return { ...state, amount, hours, ...(rest !== '' && { note: withoutFor(rest) }) };
    },
    request: requestOf,
    answersOf,
    startsAnew: ({ shared, address }) => shared === true && address !== undefined,
    async nextStep(ctx, _by, before) {
      const shared = before.shared ?? (await maker.isForOthers(ctx));
      const state = orders.completed(ctx, withValidNote(ctx, { ...before, shared }));
      const wanted = state.step === CARD ? requestOf(state) : undefined;
      if (wanted === undefined) return state;
      // A card after a refused one must not repeat a price that has changed since.
      const mustBeFresh = state.formerEstimate !== undefined;
      const prices = await maker.prices(ctx, energyOf(wanted), { mustBeFresh });
      const { trx: estimate, at: estimateAt } = prices[wanted.duration_hours === 24 ? 24 : 1] ?? {};
      return { ...state, estimate, estimateAt };
    },
    steps: {
      address: acceptOrders(
        addressStep<MoneyState>({
          addressBook: deps.addressBook,
          help: 'energy',
          ask: (words, { shared }) => words.html(shared ? 'invoice-address-customer' : 'invoice-address'),
          usesDefault: (_ctx, { shared }) => shared !== true,
          offered: async (ctx, known, { shared }) =>
            shared ? withNotes(known, await deps.invoices.list(ctx.from.id, isLongEnough)) : [...known],
          onAnswer: (state, address) => ({ ...state, address, step: CARD }),
        }),
      ),
      [AMOUNT]: orders.amountStep,
      [NOTE]: invoiceNoteStep,
      [OFFERED_NOTE]: offeredNoteStep,
    },
  });
}

const MAX_NOTES_SEARCHED = 50;
const MAX_NAME_LENGTH = 24;
const isLongEnough = (read: readonly Invoice[]) => read.length >= MAX_NOTES_SEARCHED;

/** Names addresses without a name by the note of their latest invoice. `latestFirst`: the seller's invoices. */
function withNotes(known: readonly KnownAddress[], latestFirst: readonly Invoice[]): KnownAddress[] {
  return known.map((one) => {
    const isNoted = ({ shared, address, note }: Invoice) => shared && address === one.address && note;
    const note = latestFirst.find(isNoted)?.note;
    const name = one.name ?? (note && toPrintable(note, MAX_NAME_LENGTH));
    return name === undefined ? one : { ...one, name };
  });
}

/** Checks a note that came with the order, or asks whether it is one. Only an invoice for a customer has a note. */
function withValidNote(ctx: BotContext, before: MoneyState): MoneyState {
  const { isNoteUnclear, ...state } = before;
  const { step, note, shared } = state;
  if (step !== CARD || note === undefined) return before;
  if (shared && isNoteUnclear && noteIn(note) !== undefined)
    return { ...state, note: undefined, offeredNote: note, step: OFFERED_NOTE };
  if (shared) return readNote(ctx.words, { ...state, note: undefined }, note);
  addHeader(ctx, ctx.words.html('order-said-left', { left: note }));
  return { ...state, note: undefined };
}

/** Creates the buttons of invoices' cards. `startAgain` returns the state in which the flow repeats an invoice. */
function invoiceButtons(
  deps: InvoiceDeps,
  startAgain: (asked: OperationRequest, at: RestartPoint) => unknown,
): Feature['buttons'] {
  const { invoices, operations } = deps;

  const repeat =
    (at: RestartPoint): ButtonHandler =>
    async (ctx, id) => {
      const [found, operation] = await Promise.all([
        findOwn(deps, ctx, id),
        operations.drafts.find({ user: ctx.from.id, id }),
      ]);
      if (found === undefined || operation?.request.kind !== kind.name)
        return showToast(ctx, 'toast-invoice-gone');
      ctx.flowToEnter = { feature: INVOICE_BUTTONS, start: startAgain(operation.request, at) };
    };

  return {
    async check(ctx, id) {
      const found = await findOwn(deps, ctx, id);
      if (found) await checkPayment(deps, ctx, found);
    },
    async look(ctx, key) {
      const found = await findOpened(deps, ctx, key);
      if (found === undefined) return showToast(ctx, 'toast-invoice-gone');
      await checkPayment(deps, ctx, found);
    },
    async show(ctx, id) {
      const found = await findOwn(deps, ctx, id);
      if (found) await sendInvoiceCard(deps, ctx, found);
    },
    async opened(ctx, key) {
      const found = await findOpened(deps, ctx, key);
      if (found === undefined) await showText(ctx, ctx.words.html('invoice-link-none'));
      else await sendInvoiceCard(deps, ctx, found);
    },
    share: changes(async (ctx, id) => {
      const found = await findOwn(deps, ctx, id);
      ctx.tx.signal.throwIfAborted();
      if (found === undefined) return;
      const isShared = (await invoices.shares.share(found)) !== undefined;
      showToast(ctx, isShared ? 'toast-invoice-shared' : 'toast-invoice-gone');
      await adoptCard(deps, ctx, found);
      if (isShared) await invoices.cards.updateSoon(found);
    }),
    revoke: changes(async (ctx, id) => {
      const found = await findOwn(deps, ctx, id);
      if (found === undefined) return;
      ctx.tx.signal.throwIfAborted();
      await invoices.shares.revoke(found);
      await adoptCard(deps, ctx, found);
      await invoices.cards.updateSoon(found);
      showToast(ctx, 'toast-invoice-revoked');
    }),
    again: repeat('card'),
    another: repeat('one more'),
  };
}

/**
 * Shows how the invoice stands that a guest means, with its card, or an account holder's unfinished one. Shows the receipt of
 * the latest energy under way, or the history, to account holders without one and to users whose latest purchase an account
 * paid that they have unlinked since.
 */
async function showNewest(
  deps: InvoiceDeps,
  ctx: BotContext,
  maker: MakerChoice,
  findMeant: typeof findNewest,
): Promise<void> {
  const { words, from } = ctx;
  const isHolder = await maker.isForOthers(ctx);
  const found = await (isHolder ? findUnfinishedAsGuest(deps, from.id) : findMeant(deps, from.id));
  if (isHolder ? found === undefined : await hasBoughtSince(deps, from.id, found)) {
    const history = deps.features().find(({ command }) => command?.name === 'history');
    return void (await handlerOf(history?.buttons?.energy)?.(ctx, '', 0));
  }
  if (found === undefined)
    return void (await showText(ctx, words.html('invoices-empty', { reader: 'guest' })));
  const checked = await deps.invoices.checkPayment(found);
  if (checked === undefined)
    return void (await showText(ctx, words.html('invoice-not-answered', { number: String(found.number) })));
  const at = deps.now();
  const state = stateFor(checked, ctx, at);
  // The deadline is on the card, and this line stays as it is.
  if (state === 'over' || isPayable(state))
    addHeader(ctx, words.html('invoice-unpaid-as-of', momentVariables(at, formatTime)));
  await nameOthers(deps, ctx, checked);
  await sendInvoiceCard(deps, ctx, checked);
}

/** Adds a line with buttons for the user's other invoices that are payable or paid but not delivered to the next view. */
async function nameOthers(deps: InvoiceDeps, ctx: BotContext, shown: Invoice): Promise<void> {
  const { words, from } = ctx;
  const [made, opened] = await Promise.all([
    recentInvoices(deps, from.id),
    openedInvoices(deps, from.id, MAX_OPENED_SEARCHED),
  ]);
  const all = [...made.map((invoice) => ({ invoice, key: undefined })), ...opened];
  const others = all
    .filter(({ invoice }) => invoice.number !== shown.number && isUnfinished(invoice, deps.now()))
    .slice(0, MAX_OTHERS_NAMED);
  if (others.length === 0) return;
  const numbers = others.map(({ invoice }) => invoice.number).join(', ');
  addHeader(ctx, words.html('invoice-others-meant', { count: others.length, numbers }));
  ctx.headerButtons = others.map(({ invoice: { id, number }, key }) => ({
    text: words.plain('button-open-invoice', { number: String(number) }),
    callback_data: callbackData(INVOICE_BUTTONS, key === undefined ? 'show' : 'opened', key ?? id),
  }));
}

/** Returns when an invoice was made, paid or delivered last, in epoch milliseconds. */
const latestTimeOf = ({ createdAt, paidAt = createdAt, delegatedAt = paidAt }: Invoice) => delegatedAt;

/** Returns whether an account paid for a purchase of the user in the last day, later than what became of the invoice. */
async function hasBoughtSince(
  deps: InvoiceDeps,
  user: number,
  invoice: Invoice | undefined,
): Promise<boolean> {
  const { kinds, history } = deps.operations;
  const since = Math.max(deps.now() - DAY_MS, invoice === undefined ? 0 : latestTimeOf(invoice));
  const recent = await history.since(user, since, MAX_PURCHASES_SEARCHED);
  return recent.some(({ request }) => kinds.of(request).orderedAmount !== undefined);
}

/** Shows a guest's invoice, or how far its creation is, and account holders the list. */
async function showAskedFor(deps: InvoiceDeps, ctx: BotContext, maker: MakerChoice): Promise<void> {
  if (await maker.isForOthers(ctx)) {
    const list = deps.features().find(({ name }) => name === INVOICE_LIST);
    return void (await list?.open?.(ctx));
  }
  const { kinds, history } = deps.operations;
  const since = deps.now() - JUST_CREATED_MS;
  const [latest] = await history.since(ctx.from.id, since, 1);
  if (latest === undefined || latest.state === 'done' || latest.request.kind !== kind.name)
    return showNewest(deps, ctx, maker, findNewest);
  const html = inShort(ctx.words, latest, { kinds, now: deps.now() });
  await send(ctx, { html, keyboard: [] }, latest.receipt.card);
}

/** Says that an unpaid invoice needn't be cancelled, with the newest payable one or with a seller's list of them. */
async function showUnwanted(deps: InvoiceDeps, ctx: BotContext): Promise<void> {
  const { words, from, session, tx } = ctx;
  const open = (await newestFirst(deps, from.id)).find((one) => isPayable(stateFor(one, ctx, deps.now())));
  const checked = open && (await deps.invoices.checkBeforePayment(open));
  if (checked === undefined) {
    const isAsked = tx.conversation !== undefined || (session.card ?? session.code) !== undefined;
    addHeader(ctx, words.html(isAsked ? 'invoices-none-open' : 'cancelled-nothing'));
    return isAsked ? undefined : void (await deps.openMenu(ctx));
  }
  const isSale = checked.user === from.id && checked.shared;
  if (isPayable(stateFor(checked, ctx, deps.now())))
    addHeader(ctx, words.html('invoice-unwanted', { reader: isSale ? 'merchant' : 'buyer' }));
  const list = deps.features().find(({ name }) => name === INVOICE_LIST);
  await (isSale ? handlerOf(list?.buttons?.unpaid)?.(ctx, '', 0) : sendInvoiceCard(deps, ctx, checked));
}

/** Returns the recent invoices that a user made or opened, newest first. */
async function newestFirst(deps: InvoiceDeps, user: number): Promise<Invoice[]> {
  const [made, opened] = await Promise.all([
    recentInvoices(deps, user),
    openedInvoices(deps, user, MAX_OPENED_SEARCHED),
  ]);
  return [...made, ...opened.map(({ invoice }) => invoice)].toSorted(
    (one, other) => other.createdAt - one.createdAt,
  );
}

const MAX_OPENED_SEARCHED = 5;
const MAX_OTHERS_NAMED = 3;
const MAX_PURCHASES_SEARCHED = 20;
/** Age up to which an invoice that isn't created is what its user asks for, in milliseconds. */
const JUST_CREATED_MS = 30 * MINUTE_MS;

/**
 * Returns the newest invoice that a guest made or opened and that is payable or paid but not delivered. Without any, returns
 * the one that has expired or been delivered last.
 */
async function findNewest(deps: InvoiceDeps, user: number): Promise<Invoice | undefined> {
  const newest = await newestFirst(deps, user);
  const endOf = ({ status, createdAt, expiresAt, paidAt = createdAt, delegatedAt = paidAt }: Invoice) =>
    status === 'pending' || status === 'expired' ? expiresAt : delegatedAt;
  return (
    newest.find((one) => isUnfinished(one, deps.now())) ??
    newest.toSorted((one, other) => endOf(other) - endOf(one))[0]
  );
}

/**
 * Returns the invoice of a guest who asks for energy: the newest one that is paid but not delivered, then the latest one that
 * failed and that no later own one for its address replaces, unless an own one is payable since. Then follow the latest own
 * one that is payable or whose energy runs, and otherwise as {@link findNewest}.
 */
async function findEnergy(deps: InvoiceDeps, user: number): Promise<Invoice | undefined> {
  const now = deps.now();
  const [made, opened] = await Promise.all([
    recentInvoices(deps, user),
    openedInvoices(deps, user, MAX_OPENED_SEARCHED),
  ]);
  // The service may not have named the time of the delivery.
  const endOf = (one: Invoice) => rentedUntil(one) ?? one.createdAt + one.hours * HOUR_MS;
  const isRunning = (one: Invoice) => one.status === 'delegated' && endOf(one) > now;
  const latestFirst = (found: Invoice[]) =>
    found.toSorted((one, other) => latestTimeOf(other) - latestTimeOf(one));
  const all = latestFirst([...made, ...opened.map(({ invoice }) => invoice)]);
  const current = latestFirst(made).filter((one) => isUnfinished(one, now) || isRunning(one));
  const isReplaced = (failed: Invoice) =>
    current.some(
      (one) =>
        latestTimeOf(one) > latestTimeOf(failed) && (!isRunning(one) || one.address === failed.address),
    );
  return (
    all.find((one) => wasPaid(one) && isUnfinished(one, now)) ??
    all.find((one) => one.status === 'failed' && !isReplaced(one)) ??
    current[0] ??
    (await findNewest(deps, user))
  );
}

/** Returns whether an invoice may still be paid or delivered, or whether that isn't known. */
function isUnfinished(invoice: Invoice, now: number): boolean {
  const state = listedStateOf(invoice, now);
  return isTracked(invoice, now) && state !== 'over';
}

/** Returns the newest invoice that an account holder made as a guest and that is payable or paid but not delivered. */
async function findUnfinishedAsGuest(deps: InvoiceDeps, user: number): Promise<Invoice | undefined> {
  const made = await recentInvoices(deps, user);
  return made.find((one) => isUnfinished(one, deps.now()) && one.account === OPERATOR_ACCOUNT && !one.shared);
}

/** Returns all tracked invoices of a user and some older ones, newest first. */
function recentInvoices({ invoices, now }: FeatureDeps, user: number): Promise<Invoice[]> {
  const isOld = ({ createdAt }: Invoice) => createdAt < now() - 2 * TRACKED_AFTER_EXPIRY_MS;
  return invoices.list(user, (read) => read.some(isOld));
}

/** Returns an invoice of the user. If it doesn't exist, shows a toast and returns `undefined`. */
async function findOwn({ invoices }: FeatureDeps, ctx: BotContext, id: string): Promise<Invoice | undefined> {
  const found = await invoices.read({ user: ctx.from.id, id });
  if (found === undefined) showToast(ctx, 'toast-invoice-gone');
  return found;
}

/** Checks the payment with the service, and shows the result as a toast. */
async function checkPayment(deps: FeatureDeps, ctx: BotContext, invoice: Invoice): Promise<void> {
  ctx.tx.signal.throwIfAborted();
  await adoptCard(deps, ctx, invoice);
  const checked = await deps.invoices.checkPayment(invoice);
  if (checked === undefined) return showToast(ctx, 'toast-invoice-asked');
  const now = deps.now();
  const state = stateFor(checked, ctx, now);
  const about = { state, isForMaker: checked.user === ctx.from.id };
  ctx.toast =
    unpaidText(ctx.words, checked, { state, now }) ??
    htmlToPlainText(invoiceHeadline(ctx.words, checked, about));
}

/** Returns the state of an invoice on the user's card. */
function stateFor(invoice: Invoice, { chatId }: BotContext, now: number): CardState {
  return cardStateOf(invoice, now, { isRevoked: isRevokedFor(invoice, chatId) });
}

/** Returns that no payment is known, and how long the invoice can be paid; `undefined` in any other state. */
function unpaidText(
  words: Words,
  invoice: Invoice,
  { state, now }: { state: CardState; now: number },
): string | undefined {
  if (state === 'over') return words.plain('toast-invoice-none');
  if (!isPayable(state)) return undefined;
  return words.plain('toast-invoice-unpaid', { left: formatSpan(words, invoice.expiresAt - now) });
}

/**
 * Returns lines for the card of a new invoice: about one for its address that may have been paid, and about a guest's payable
 * ones for other addresses, or the hourly limit if it is reached. The card itself names a payable one for its address.
 */
async function earlierInvoices(
  deps: FeatureDeps,
  { from, words }: BotContext,
  { address, shared }: { address: string; shared: boolean },
): Promise<string | undefined> {
  const { now } = deps;
  const [recent, nextAt] = await Promise.all([
    recentInvoices(deps, from.id),
    shared ? undefined : deps.invoices.nextGuestInvoiceAt(from.id),
  ]);
  const unreported = recent.find(
    (one) => one.address === address && listedStateOf(one, now()) === 'unreported' && isTracked(one, now()),
  );
  const payable = recent.filter((one) => !one.shared && isPayable(invoiceStateOf(one, now())));
  const open = payable.filter((one) => one.address !== address);
  // The card says about it what holds for all of them.
  const isSameOpen = open.length < payable.length;
  const numbers = open.map(({ number }) => number).join(', ');
  const about = [
    nextAt !== undefined && words.html('invoice-hour-limit', timeVariables(nextAt)),
    unreported !== undefined &&
      words.html('invoice-unreported-before', {
        number: String(unreported.number),
        reader: shared ? 'merchant' : 'buyer',
      }),
    !shared &&
      open.length > 0 &&
      words.html('invoice-others-open', { count: open.length, numbers, same: isSameOpen ? 'open' : 'none' }),
  ];
  return about.some(Boolean) ? lines(...about) : undefined;
}

/** Returns a guest's payable invoice that equals the wanted one, or `undefined`. */
async function findSame(
  { invoices, now }: FeatureDeps,
  by: InvoiceMaker | undefined,
  wanted: InvoiceOperationRequest,
): Promise<Invoice | undefined> {
  // A merchant can sell the same to several customers.
  if (by === undefined || wanted.shared) return undefined;
  const isSame = (one: Invoice) =>
    one.status === 'pending' &&
    !one.unchecked &&
    now() < one.expiresAt &&
    one.account === by.account &&
    one.address === wanted.address &&
    one.energy === energyOf(wanted) &&
    one.hours === wanted.duration_hours;
  const isOld = ({ createdAt }: Invoice) => createdAt < now() - TRACKED_AFTER_EXPIRY_MS;
  const found = await invoices.list(by.user, (read) => read.some(isSame) || read.some(isOld));
  const same = found.find(isSame);
  // A guest may make another invoice once this one is paid.
  const checked = same && (await invoices.checkBeforePayment(same));
  return checked && isSame(checked) ? checked : undefined;
}

function requestOf(state: MoneyState): InvoiceOperationRequest | undefined {
  const { address, amount, hours, shared, note } = state;
  if (address === undefined || amount === undefined || hours === undefined) return undefined;
  const customerFields = { ...(shared && { shared }), ...(note !== undefined && { note }) };
  return { kind: 'invoice', address, ...quantityOf(amount), duration_hours: hours, ...customerFields };
}

function answersOf(wanted: InvoiceOperationRequest): Partial<MoneyState> {
  const { address, duration_hours: hours, shared, note } = wanted;
  return { address, amount: energyOf(wanted), hours, shared, note };
}
