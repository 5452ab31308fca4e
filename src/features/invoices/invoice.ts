import type { KnownAddress } from '../../accounts/address-book.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  type ButtonHandler,
  changes,
  defineFeature,
  type Feature,
  type FeatureDeps,
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
  htmlToPlainText,
  lines,
  timeVariables,
  type Words,
} from '../../i18n/texts.ts';
import { readEnergyOrder } from '../../input/energy-terms.ts';
import { orderIn } from '../../input/invoice-text.ts';
import { withoutFor, withPreposition } from '../../input/order-text.ts';
import { INVOICE_BUTTONS, invoiceHeadline } from '../../invoices/card.ts';
import {
  type CardState,
  cardStateOf,
  type Invoice,
  invoiceStateOf,
  isPayable,
  isRevokedFor,
  isTracked,
  listedStateOf,
  TRACKED_AFTER_EXPIRY_MS,
} from '../../invoices/invoice.ts';
import {
  energyOf,
  type InvoiceOperationRequest,
  invoice as kind,
  quantityOf,
} from '../../operations/kinds/invoice.ts';
import type { OperationRequest } from '../../operations/kinds/kind.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { withMenuButton } from '../../views/view.ts';
import {
  adoptCard,
  createInvoiceMaker,
  findOpened,
  type InvoiceDeps,
  type InvoiceMaker,
  openLink,
  sendInvoiceCard,
} from './invoice-cards.ts';
import {
  acceptCustomers,
  invoiceNoteStep,
  NOTE,
  type NotedInvoice,
  noteIn,
  OFFERED_NOTE,
  offeredNoteStep,
  readNote,
} from './invoice-note.ts';

const orders = energyOrders();
const MENU_ENTRY = { place: 'main', style: 'primary' } as const;

type MakerChoice = ReturnType<typeof createInvoiceMaker>;

/** Guests make invoices for themselves; users with an account make them for customers. */
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

  /** Returns the answers, added to those of the open card if that is for the same customer. */
  async function changeOpenCard(
    ctx: BotContext,
    address: string,
    answers: Partial<MoneyState> = {},
  ): Promise<Partial<MoneyState>> {
    const { draft } = ctx.session;
    const open = draft && (await deps.operations.drafts.open({ user: ctx.from.id, id: draft.operation }));
    if (open?.request.kind !== kind.name) return answers;
    const before = answersOf(kind.request.parse(open.request));
    if (!before.shared || before.address !== address) return answers;
    const { amount = before.amount, hours = before.hours } = answers;
    return { ...before, ...answers, amount, hours };
  }

  return {
    ...flow,
    startWithAddress: async (ctx, address, answers) =>
      flow.startWithAddress?.(ctx, address, await changeOpenCard(ctx, address, answers)),
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
      questionAbout(asked, text, isOther) {
        const mayBeNote = kind.request.parse(asked).shared && (!isOther || orderIn(text) !== undefined);
        const offeredNote = mayBeNote ? noteIn(text) : undefined;
        return offeredNote === undefined ? undefined : { question: OFFERED_NOTE, answers: { offeredNote } };
      },
    },
    forSuspended: ['show', 'check'],
    keepsFlow: ['check', 'look', 'show', 'opened', 'share', 'revoke'],
    words: [
      ...['create invoice', 'create an invoice', 'make invoice', 'make an invoice', 'new invoice'],
      ...['выставить счёт', 'выставить счет', 'выстави счёт', 'выстави счет', 'создать счёт', 'создать счет'],
    ],
    buttons: invoiceButtons(deps, maker, start),
    onStartLink: (ctx, token) => openLink(deps, ctx, token),
  };
});

function createInvoiceFlow(deps: FeatureDeps, maker: MakerChoice) {
  /** Returns a seller's latest invoices that have a note, latest first. */
  async function notedInvoices(user: number): Promise<NotedInvoice[]> {
    const made = await deps.invoices.list(user, isLongEnough);
    return made.flatMap(({ shared, address, note }) => (shared && note ? [{ address, note }] : []));
  }

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
      const note = withPreposition(withoutFor(rest), text);
      return { ...state, amount, hours, ...(note !== '' && { note }) };
    },
    request: requestOf,
    answersOf,
    startsAnew: ({ shared, address }) => shared === true && address !== undefined,
    async nextStep(ctx, _by, before) {
      const state = orders.completed(ctx, withValidNote(ctx, await maker.withShared(ctx, before)));
      const wanted = state.step === CARD ? requestOf(state) : undefined;
      if (wanted === undefined) return state;
      // A card after a refused one must not repeat a price that has changed since.
      const mustBeFresh = state.formerEstimate !== undefined;
      const prices = await maker.prices(ctx, energyOf(wanted), { mustBeFresh });
      const { trx: estimate, at: estimateAt } = prices[wanted.duration_hours === 24 ? 24 : 1] ?? {};
      return { ...state, estimate, estimateAt };
    },
    steps: {
      address: acceptCustomers(
        acceptOrders(
          addressStep<MoneyState>({
            addressBook: deps.addressBook,
            help: 'energy',
            ask: (words, { shared }) => words.html(shared ? 'invoice-address-customer' : 'invoice-address'),
            usesDefault: (_ctx, { shared }) => shared !== true,
            offered: async (ctx, known, { shared }) =>
              shared ? withNotes(known, await notedInvoices(ctx.from.id)) : [...known],
            onAnswer: (state, address) => ({ ...state, address, step: CARD }),
          }),
        ),
        { notedInvoices, addressBook: deps.addressBook },
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

/** Names addresses without a name by the note of their latest invoice. */
function withNotes(known: readonly KnownAddress[], latestFirst: readonly NotedInvoice[]): KnownAddress[] {
  return known.map((one) => {
    const note = latestFirst.find(({ address }) => address === one.address)?.note;
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
  maker: MakerChoice,
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
      const again = startAgain(operation.request, at) as MoneyState;
      ctx.flowToEnter = { feature: INVOICE_BUTTONS, start: await maker.withShared(ctx, again) };
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

/** Returns that no payment is known, and how long the invoice can be paid, if at all; `undefined` in any other state. */
function unpaidText(
  words: Words,
  invoice: Invoice,
  { state, now }: { state: CardState; now: number },
): string | undefined {
  if (state === 'over') return words.plain('toast-invoice-none');
  if (state === 'revoked') return words.plain('toast-invoice-unpaid-revoked');
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
  const { address, duration_hours: hours, shared = false, note } = wanted;
  return { address, amount: energyOf(wanted), hours, shared, note };
}
