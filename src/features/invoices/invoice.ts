import type { BotContext } from '../../bot/context.ts';
import type { Step } from '../../bot/dialogue.ts';
import {
  changes,
  defineFeature,
  type Feature,
  type FeatureDeps,
  isByAdmin,
  type RestartPoint,
} from '../../bot/feature.ts';
import { CARD, type MoneyState, moneyFlow } from '../../bot/money-flow.ts';
import { showText, showToast } from '../../bot/reply.ts';
import { addressStep } from '../../bot/steps/addresses.ts';
import { energyHoursStep, withDefaultHours } from '../../bot/steps/amounts.ts';
import { formatKeyTail, formatTime, htmlToPlainText } from '../../i18n/texts.ts';
import { INVOICE_BUTTONS, invoiceHeadline, wasPaidByCustomer } from '../../invoices/card.ts';
import { type Invoice, invoiceStateOf, TRACKED_AFTER_EXPIRY_MS } from '../../invoices/invoice.ts';
import { energyOf, type InvoiceOperationRequest, invoice as kind } from '../../operations/kinds/invoice.ts';
import type { OperationRequest } from '../../operations/kinds/kind.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';
import {
  adoptCard,
  createInvoiceMaker,
  type InvoiceDeps,
  type InvoiceMaker,
  sendInvoiceCard,
} from './invoice-cards.ts';
import { invoiceAmountStep, invoiceNoteStep, repeatInvoiceStep } from './invoice-steps.ts';

/** Steps that repeat a sold invoice: its question, and the one for another address. */
const AGAIN_STEP = 'again';
const CUSTOMER_STEP = 'customer';
const MENU_ENTRY = { place: 'main', style: 'primary' } as const;

type MakerChoice = ReturnType<typeof createInvoiceMaker>;

/** Guests make invoices for themselves; users with an account and admins make them for customers. */
export const invoiceFeature = defineFeature((deps: InvoiceDeps) => {
  const { invoices } = deps;
  const maker = createInvoiceMaker(deps);
  const flow = createInvoiceFlow(deps, maker);

  /** The note was for one customer, so another one needs a new note. */
  function start(asked: OperationRequest, at: RestartPoint, voided?: string): unknown {
    const wanted = kind.request.parse(asked);
    if (at !== 'one more' || !wanted.shared) return flow.restart?.start(wanted, at, voided);
    return { ...answersOf(wanted), note: undefined, step: AGAIN_STEP };
  }

  return {
    ...flow,
    restart: {
      kind: kind.name,
      start,
      async insteadOfConfirming(ctx, asked) {
        const same = await findSame(deps, await maker.of(ctx), kind.request.parse(asked));
        if (same) await sendInvoiceCard(deps, ctx, same);
        return same !== undefined;
      },
    },
    buttons: invoiceButtons(deps, start),
    async onStartLink(ctx, token) {
      const found = await invoices.shares.find(token);
      if (found === undefined) return void (await showText(ctx, ctx.words.html('invoice-link-none')));
      await sendInvoiceCard(deps, ctx, found);
      if (found.user !== ctx.from.id) await invoices.recordOpened(found);
    },
  };
});

function createInvoiceFlow(deps: FeatureDeps, maker: MakerChoice) {
  return moneyFlow<InvoiceOperationRequest, InvoiceMaker>(deps, {
    name: INVOICE_BUTTONS,
    menu: [
      ...(deps.operatorKey === undefined
        ? []
        : [{ ...MENU_ENTRY, button: 'button-buy-by-invoice', for: 'guest' } as const]),
      { ...MENU_ENTRY, button: 'button-invoice-new', for: 'merchant', merchants: 'first' },
    ],
    command: { name: 'invoice', text: 'command-invoice' },
    kind,
    version: 3,
    payer: maker.of,
    async guard(ctx, { account }) {
      if (account !== OPERATOR_ACCOUNT || !(await deps.quotes.isOperatorRefused())) return undefined;
      return isByAdmin(deps, ctx)
        ? ctx.words.html('account-key-refused', { tail: formatKeyTail('') })
        : ctx.words.html('invoice-unavailable');
    },
    prepare: (ctx) => void maker.prefetchPrices(ctx).catch(() => undefined),
    lastStep: 'duration',
    lastStepOf: ({ shared }) => (shared ? 'note' : 'amount'),
    request: requestOf,
    answersOf,
    async nextStep(ctx, _by, before) {
      const shared = before.shared ?? (await maker.isForOthers(ctx));
      const state = { ...before, shared };
      const wanted = !shared && state.step === CARD ? requestOf(state) : undefined;
      if (wanted === undefined) return state;
      const prices = await maker.prices(ctx, energyOf(wanted));
      return { ...state, estimate: prices[wanted.duration_hours === 24 ? 24 : 1] };
    },
    steps: invoiceSteps(deps, maker),
  });
}

function invoiceSteps({ addressBook }: FeatureDeps, maker: MakerChoice): Record<string, Step<MoneyState>> {
  const duration = withDefaultHours(
    energyHoursStep<MoneyState>({
      help: 'duration',
      ask: (words, { address = '' }) => words.html('invoice-duration', { address }),
      async prices(ctx, state) {
        const wanted = requestOf({ ...state, hours: 1 });
        return wanted ? maker.prices(ctx, energyOf(wanted)) : {};
      },
      onAnswer: (state, hours) => ({ ...state, hours, step: state.shared ? 'note' : CARD }),
      back: 'amount',
    }),
  );

  return {
    address: addressStep<MoneyState>({
      addressBook,
      help: 'sender',
      ask: (words, { shared }) => words.html('invoice-address', { step: shared ? '🧾 1/3' : '⚡' }),
      onAnswer: (state, address) => ({ ...state, address, step: 'amount' }),
    }),
    // Guests choose on the card. It begins with one transfer and one hour.
    amount: {
      ...invoiceAmountStep,
      async stateIfKnown(_ctx, { transfers, amount, ...state }) {
        if (state.shared) return undefined;
        const quantity =
          transfers === undefined && amount === undefined ? { transfers: 1 } : { transfers, amount };
        return { ...state, ...quantity, step: 'duration' };
      },
    },
    duration: {
      ...duration,
      stateIfKnown: async (ctx, state) =>
        state.shared
          ? duration.stateIfKnown?.(ctx, state)
          : { ...state, hours: state.hours ?? ctx.session.hours ?? 1, step: CARD },
    },
    note: invoiceNoteStep,
    [AGAIN_STEP]: repeatInvoiceStep(CUSTOMER_STEP, (words, state) => {
      const wanted = requestOf(state);
      return wanted ? kind.title(words, wanted) : '';
    }),
    [CUSTOMER_STEP]: addressStep<MoneyState>({
      addressBook,
      help: 'sender',
      ask: (words) => words.html('invoice-customer'),
      onAnswer: (state, address) => ({ ...state, address, step: AGAIN_STEP }),
      back: AGAIN_STEP,
    }),
  };
}

/** Creates the buttons of invoices' cards. `startAgain` returns the state in which the flow repeats an invoice. */
function invoiceButtons(
  deps: InvoiceDeps,
  startAgain: (asked: OperationRequest, at: RestartPoint) => unknown,
): Feature['buttons'] {
  const { invoices, operations } = deps;

  return {
    async check(ctx, id) {
      const found = await findOwn(deps, ctx, id);
      if (found) await checkPayment(deps, ctx, found);
    },
    async look(ctx, token) {
      const found = await invoices.shares.find(token);
      if (found === undefined) return showToast(ctx, 'toast-invoice-gone');
      await checkPayment(deps, ctx, found);
    },
    async show(ctx, id) {
      const found = await findOwn(deps, ctx, id);
      if (found) await sendInvoiceCard(deps, ctx, found);
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
    async again(ctx, id) {
      const [found, operation] = await Promise.all([
        findOwn(deps, ctx, id),
        operations.drafts.find({ user: ctx.from.id, id }),
      ]);
      if (found === undefined || operation?.request.kind !== kind.name)
        return showToast(ctx, 'toast-invoice-gone');
      const at = wasPaidByCustomer(found) ? 'one more' : 'card';
      ctx.flowToEnter = { feature: INVOICE_BUTTONS, start: startAgain(operation.request, at) };
    },
  };
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
  const state = invoiceStateOf(checked, deps.now());
  if (state === 'open' || state === 'ending') {
    ctx.toast = ctx.words.plain('toast-invoice-unpaid', { at: formatTime(checked.expiresAt) });
    return;
  }
  const isForMaker = checked.user === ctx.from.id;
  ctx.toast = htmlToPlainText(invoiceHeadline(ctx.words, checked, { state, isForMaker }));
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
  const { address, transfers, amount, hours, shared, note } = state;
  if (address === undefined || hours === undefined) return undefined;
  if (transfers === undefined && amount === undefined) return undefined;
  const quantity = transfers === undefined ? { energy_amount: amount } : { transfers };
  const customerFields = { ...(shared && { shared }), ...(note !== undefined && { note }) };
  return { kind: 'invoice', address, ...quantity, duration_hours: hours, ...customerFields };
}

function answersOf(wanted: InvoiceOperationRequest): Partial<MoneyState> {
  const { address, transfers, energy_amount: amount, duration_hours: hours, shared, note } = wanted;
  return { address, transfers, amount, hours, shared, note };
}
