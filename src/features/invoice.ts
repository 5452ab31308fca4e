import type { BotContext } from '../bot/context.ts';
import { changes, defineFeature, type RestartPoint } from '../bot/feature.ts';
import { adoptCard, createInvoiceMaker, type InvoiceMaker, sendInvoiceCard } from '../bot/invoice-cards.ts';
import { CARD, type MoneyState, moneyFlow } from '../bot/money-flow.ts';
import { show } from '../bot/reply.ts';
import { addressStep } from '../bot/steps/addresses.ts';
import {
  invoiceAmountStep,
  invoiceDurationStep,
  invoiceNoteStep,
  repeatInvoiceStep,
} from '../bot/steps/invoices.ts';
import { withMenuButton } from '../i18n/view.ts';
import { INVOICE_BUTTONS, wasPaidByCustomer } from '../invoices/card.ts';
import { type Invoice, TRACKED_AFTER_EXPIRY_MS } from '../invoices/invoice.ts';
import { energyOf, type InvoiceOperationRequest, invoice as kind } from '../operations/kinds/invoice.ts';
import type { OperationRequest } from '../operations/kinds/kind.ts';

/** Steps that repeat a sold invoice: its question, and the one for another address. */
const AGAIN = 'again';
const CUSTOMER = 'customer';
const MENU = { place: 'main', style: 'primary' } as const;

/**
 * Creates the feature that makes invoices. Guests make them for themselves, users with an account and admins for
 * customers.
 */
export const invoiceFeature = defineFeature((deps) => {
  const { invoices, operatorKey, now } = deps;
  const maker = createInvoiceMaker(deps);

  /** Returns a payable invoice of a guest that is the same as the wish, or `undefined`. */
  async function alike(
    { user, account }: InvoiceMaker,
    wish: InvoiceOperationRequest,
  ): Promise<Invoice | undefined> {
    const isLike = (one: Invoice) =>
      one.status === 'pending' &&
      !one.unchecked &&
      now() < one.expiresAt &&
      one.account === account &&
      one.address === wish.address &&
      one.energy === energyOf(wish) &&
      one.hours === wish.duration_hours;
    const isOld = ({ createdAt }: Invoice) => createdAt < now() - TRACKED_AFTER_EXPIRY_MS;
    const found = (await invoices.list(user, (read) => read.some(isLike) || read.some(isOld))).find(isLike);
    // A guest may make another invoice once this one is paid.
    const checked = found && (await invoices.checkBeforePayment(found));
    return checked && isLike(checked) ? checked : undefined;
  }

  async function own(ctx: BotContext, id: string): Promise<Invoice | undefined> {
    const found = ctx.from && (await invoices.read({ user: ctx.from.id, id }));
    if (found === undefined) ctx.toast = ctx.words.plain('toast-invoice-gone');
    return found;
  }

  async function ask(ctx: BotContext, invoice: Invoice | undefined): Promise<void> {
    if (invoice === undefined) return;
    ctx.tx.signal.throwIfAborted();
    await adoptCard(deps, ctx, invoice);
    await invoices.pollSoon(invoice);
    ctx.toast = ctx.words.plain(invoice.unchecked ? 'toast-invoice-unchecked' : 'toast-invoice-asked');
  }

  const flow = moneyFlow<InvoiceOperationRequest, InvoiceMaker>(deps, {
    name: INVOICE_BUTTONS,
    menu: [
      ...(operatorKey === undefined
        ? []
        : [{ ...MENU, button: 'button-buy-by-invoice', for: 'guest' } as const]),
      { ...MENU, button: 'button-invoice-new', for: 'merchant', merchants: 'first' },
    ],
    command: { name: 'invoice', text: 'command-invoice' },
    kind,
    version: 2,
    payer: maker.of,
    lastStep: 'duration',
    lastStepOf: ({ shared }) => (shared ? 'note' : 'duration'),
    request: requestOf,
    answersOf: answersOf,
    async intercept(ctx, by, wish) {
      // A merchant can sell the same to several customers.
      const found = wish.shared ? undefined : await alike(by, wish);
      if (found) await sendInvoiceCard(deps, ctx, found);
      return found !== undefined;
    },
    async nextStep(ctx, _by, state) {
      return state.shared === undefined ? { ...state, shared: await maker.isForOthers(ctx) } : state;
    },
    steps: {
      address: addressStep<MoneyState>({
        addressBook: deps.addressBook,
        help: 'sender',
        ask: (words, known, { shared }) =>
          words.html('invoice-address', { known, payer: shared ? 'other' : 'self' }),
        onAnswer: (state, address) => ({ ...state, address, step: 'amount' }),
      }),
      amount: invoiceAmountStep(),
      duration: invoiceDurationStep(
        async (ctx, state) => {
          const wish = requestOf({ ...state, hours: 1 });
          return wish ? maker.prices(ctx, energyOf(wish)) : {};
        },
        ({ shared }) => (shared ? 'note' : CARD),
      ),
      note: invoiceNoteStep(CARD),
      [AGAIN]: repeatInvoiceStep(CARD, CUSTOMER, (words, state) => {
        const wish = requestOf(state);
        return wish ? kind.title(words, wish) : '';
      }),
      [CUSTOMER]: addressStep<MoneyState>({
        addressBook: deps.addressBook,
        help: 'sender',
        ask: (words, known) => words.html('invoice-customer', { known }),
        onAnswer: (state, address) => ({ ...state, address, step: AGAIN }),
        back: AGAIN,
      }),
    },
  });

  /** Returns the state that starts the flow again. The note was for one customer, so another one needs a new note. */
  function start(asked: OperationRequest, at: RestartPoint): unknown {
    const wish = kind.request.parse(asked);
    if (at !== 'one more' || !wish.shared) return flow.restart?.start(wish, at);
    return { ...answersOf(wish), note: undefined, step: AGAIN };
  }

  return {
    ...flow,
    restart: { kind: kind.name, start },
    buttons: {
      check: async (ctx, id) => ask(ctx, await own(ctx, id)),
      async look(ctx, token) {
        const found = await invoices.shares.find(token);
        if (found === undefined) ctx.toast = ctx.words.plain('toast-invoice-gone');
        await ask(ctx, found);
      },
      async show(ctx, id) {
        const found = await own(ctx, id);
        if (found) await sendInvoiceCard(deps, ctx, found);
      },
      share: changes(async (ctx, id) => {
        const found = await own(ctx, id);
        ctx.tx.signal.throwIfAborted();
        if (found === undefined) return;
        const isShared = (await invoices.shares.share(found)) !== undefined;
        ctx.toast = ctx.words.plain(isShared ? 'toast-invoice-shared' : 'toast-invoice-gone');
        await adoptCard(deps, ctx, found);
        if (isShared) await invoices.cards.updateSoon(found);
      }),
      revoke: changes(async (ctx, id) => {
        const found = await own(ctx, id);
        if (found === undefined) return;
        ctx.tx.signal.throwIfAborted();
        await invoices.shares.revoke(found);
        await adoptCard(deps, ctx, found);
        await invoices.cards.updateSoon(found);
        ctx.toast = ctx.words.plain('toast-invoice-revoked');
      }),
      async again(ctx, id) {
        const [found, operation] = await Promise.all([
          own(ctx, id),
          ctx.from && deps.operations.drafts.find({ user: ctx.from.id, id }),
        ]);
        if (found === undefined || operation?.request.kind !== kind.name) {
          ctx.toast = ctx.words.plain('toast-invoice-gone');
          return;
        }
        const at = wasPaidByCustomer(found) ? 'one more' : 'card';
        ctx.flowToEnter = { feature: INVOICE_BUTTONS, start: start(operation.request, at) };
      },
    },
    async onStartLink(ctx, token) {
      const found = await invoices.shares.find(token);
      if (found === undefined) {
        await show(ctx, withMenuButton(ctx.words, ctx.words.html('invoice-link-none')));
        return;
      }
      await sendInvoiceCard(deps, ctx, found);
      if (found.user !== ctx.from?.id) await invoices.recordOpened(found);
    },
  };
});

function requestOf({
  address,
  transfers,
  amount,
  hours,
  shared,
  note,
}: MoneyState): InvoiceOperationRequest | undefined {
  if (address === undefined || hours === undefined) return undefined;
  if (transfers === undefined && amount === undefined) return undefined;
  const much = transfers === undefined ? { energy_amount: amount } : { transfers };
  const line = { ...(shared && { shared }), ...(note !== undefined && { note }) };
  return { kind: 'invoice', address, ...much, duration_hours: hours, ...line };
}

function answersOf(wish: InvoiceOperationRequest): Partial<MoneyState> {
  const { address, transfers, energy_amount: amount, duration_hours: hours, shared, note } = wish;
  return { address, transfers, amount, hours, shared, note };
}
