import { linkOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import { defineFeature } from '../../bot/feature.ts';
import { addHeader, send, showText } from '../../bot/reply.ts';
import { formatTime, momentVariables } from '../../i18n/texts.ts';
import { QUESTION_WORDS } from '../../input/question-words.ts';
import { INVOICE_BUTTONS, INVOICE_LIST } from '../../invoices/card.ts';
import {
  cardStateOf,
  type Invoice,
  isPayable,
  isRevokedFor,
  isTracked,
  type ListedState,
  listedStateOf,
  TRACKED_AFTER_EXPIRY_MS,
} from '../../invoices/invoice.ts';
import { inShort } from '../../operations/card.ts';
import { invoice as invoiceKind } from '../../operations/kinds/invoice.ts';
import { isConfirmed, isUnresolved, type Operation } from '../../operations/operation.ts';
import { orderStateOf } from '../../operations/order-state.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts';
import { callbackData } from '../../views/callback-data.ts';
import { HELP_BUTTONS, HELP_FEATURE } from '../../views/help-buttons.ts';
import { pausedByServiceView } from '../views/paused-smart-mode.ts';
import { press as pressButton } from '../views/press.ts';
import { createInvoiceMaker, type InvoiceDeps, openedInvoices, sendInvoiceCard } from './invoice-cards.ts';

const MAX_OPENED_SEARCHED = 5;
const MAX_OPERATIONS_SEARCHED = 20;
const MAX_OTHERS_NAMED = 3;
/** Age up to which an invoice that isn't created is what its user asks for, in milliseconds. */
const JUST_CREATED_MS = 30 * MINUTE_MS;
/** States of an invoice for which money may have been sent without energy in return. */
const UNSETTLED: readonly ListedState[] = ['paid', 'late', 'failed', 'unreported', 'unrecognized'];

/**
 * Subject of a question. `at`: time of its last change, in epoch milliseconds. `key`: names another seller's invoice in a
 * button.
 */
type Subject =
  | { at: number; invoice: Invoice; key?: string; operation?: never }
  | { at: number; operation: Operation; invoice?: never };

/**
 * Answers questions about energy, payments and purchases. All of them choose alike: of the user's operations, invoices and
 * opened invoices of the last day, the answer shows the one whose state changed last, and offers the others.
 */
export const questionsFeature = defineFeature((deps: InvoiceDeps) => {
  const { invoices, operations, now } = deps;
  const { history, kinds } = operations;
  const maker = createInvoiceMaker(deps);

  const press = (ctx: BotContext, feature: string, button: string, argument?: string) =>
    pressButton(deps, ctx, { feature, button, argument });

  /** Returns whether an invoice may still be paid or delivered, or whether that isn't known. */
  const isUnfinished = (invoice: Invoice) =>
    isTracked(invoice, now()) && listedStateOf(invoice, now()) !== 'over';

  /** Returns when an invoice was created, opened, paid or delivered, in epoch milliseconds. */
  function invoiceChangedAt(invoice: Invoice): number {
    const { createdAt, paidAt = 0, delegatedAt = 0, changeExpectedAt = 0 } = invoice;
    return Math.max(createdAt, paidAt, delegatedAt, changeExpectedAt);
  }

  function operationChangedAt(operation: Operation): number {
    const deliveredAt = operation.state === 'done' ? (operation.result.deliveredAt ?? 0) : 0;
    if ('settledAt' in operation) return Math.max(operation.settledAt, deliveredAt);
    return isConfirmed(operation) ? operation.claimedAt : operation.createdAt;
  }

  /** Returns the user's subjects of the last day and unfinished invoices, the one whose state changed last first. */
  async function recentSubjects(user: number): Promise<Subject[]> {
    const since = now() - DAY_MS;
    const isOld = ({ createdAt }: Invoice) => createdAt < now() - 2 * TRACKED_AFTER_EXPIRY_MS;
    const [confirmed, made, opened] = await Promise.all([
      history.since(user, since, MAX_OPERATIONS_SEARCHED),
      invoices.list(user, (read) => read.some(isOld)),
      openedInvoices(deps, user, MAX_OPENED_SEARCHED),
    ]);
    const found: { invoice: Invoice; key?: string }[] = [...made.map((invoice) => ({ invoice })), ...opened];
    const checked = await Promise.all(
      found.map(async ({ invoice, ...named }) => {
        // A payment that the bot hasn't seen yet is the latest change.
        const isOpen = isUnfinished(invoice) && !isForCustomer(user, invoice);
        const present = isOpen ? await invoices.checkBeforePayment(invoice) : invoice;
        // The check counts as opened, unless it found something.
        const isNews = present.status !== invoice.status && listedStateOf(present, now()) !== 'over';
        return { at: invoiceChangedAt(isNews ? present : invoice), invoice: present, ...named };
      }),
    );
    const withoutInvoice = confirmed.filter(
      ({ state, request }) => request.kind !== invoiceKind.name || (state !== 'done' && state !== 'refused'),
    );
    return [
      ...withoutInvoice.map((operation) => ({ at: operationChangedAt(operation), operation })),
      ...checked.filter(({ at, invoice }) => at >= since || isUnfinished(invoice)),
    ].toSorted((one, other) => other.at - one.at);
  }

  const isForCustomer = (user: number, invoice: Invoice) => invoice.user === user && invoice.shared;

  /** Returns whether a subject is energy or bandwidth for the user, or an invoice that the user pays. */
  const isOrderOf =
    (user: number) =>
    ({ operation, invoice }: Subject): boolean => {
      if (invoice) return !isForCustomer(user, invoice);
      const { request } = operation;
      if (request.kind === invoiceKind.name) return invoiceKind.request.parse(request).shared !== true;
      return kinds.of(request).orderedAmount !== undefined;
    };

  /** Returns whether an order isn't delivered yet, as far as the bot knows. */
  const isAwaited = ({ operation, invoice }: Subject): boolean => {
    if (invoice) return isUnfinished(invoice) && listedStateOf(invoice, now()) !== 'delivered';
    const order = orderStateOf(kinds.of(operation.request), operation, now());
    return isUnresolved(operation) || order === 'awaited' || order === 'unseen';
  };

  const stateOf = ({ invoice }: Subject) => invoice && listedStateOf(invoice, now());
  const isInvoice = ({ invoice }: Subject) => invoice !== undefined;
  const isUnsettled = (subject: Subject) => UNSETTLED.some((state) => state === stateOf(subject));
  /** Returns whether more may be paid to an invoice, or what was sent to it may be a part of its price. */
  const takesParts = (subject: Subject) => {
    const state = stateOf(subject);
    return state === 'open' || state === 'ending' || state === 'over' || state === 'unreported';
  };

  /** Adds a line with buttons for the other subjects below the next view. */
  function nameOthers(ctx: BotContext, others: readonly Subject[]): void {
    const named = others.slice(0, MAX_OTHERS_NAMED);
    if (named.length === 0) return;
    const { words } = ctx;
    const numbersOf = (invoice: boolean) =>
      named.filter((one) => isInvoice(one) === invoice).map((one) => numberOf(one));
    const [numbers, orders] = [numbersOf(true), numbersOf(false)];
    const about = { count: numbers.length, numbers: numbers.join(', ') };
    const html = words.html('invoice-others-meant', {
      ...about,
      orderCount: orders.length,
      orders: orders.join(', '),
      kinds: numbers.length === 0 ? 'orders' : orders.length === 0 ? 'invoices' : 'both',
    });
    const buttons = named.map((one) => ({
      text: words.plain(isInvoice(one) ? 'button-open-invoice' : 'button-open-order', {
        number: numberOf(one),
      }),
      callback_data: one.operation
        ? callbackData('history', 'receipt', one.operation.id)
        : callbackData(INVOICE_BUTTONS, one.key === undefined ? 'show' : 'opened', one.key ?? one.invoice.id),
    }));
    ctx.footer = { html, buttons };
  }

  /** Shows how an invoice stands, with its card. `others`: what the user may mean instead. */
  async function showInvoice(ctx: BotContext, found: Invoice, others: readonly Subject[]): Promise<void> {
    const { words } = ctx;
    const checked = await invoices.checkPayment(found);
    if (checked === undefined) {
      nameOthers(ctx, others);
      return void (await showText(ctx, words.html('invoice-not-answered', { number: String(found.number) })));
    }
    const state = cardStateOf(checked, now(), { isRevoked: isRevokedFor(checked, ctx.chatId) });
    // The deadline is on the card, and this line stays as it is.
    if (state === 'over' || state === 'revoked' || isPayable(state))
      addHeader(ctx, words.html('invoice-unpaid-as-of', momentVariables(now(), formatTime)));
    nameOthers(ctx, others);
    await sendInvoiceCard(deps, ctx, checked);
  }

  /** Shows the meant subject whose state changed last. Returns whether there is one. */
  async function showLatest(
    ctx: BotContext,
    isMeant: (subject: Subject) => boolean,
    recent?: readonly Subject[],
  ): Promise<boolean> {
    const subjects = recent ?? (await recentSubjects(ctx.from.id));
    const shown = subjects.find(isMeant);
    if (shown === undefined) return false;
    const others = subjects.filter(
      (one) => one !== shown && isOrderOf(ctx.from.id)(one) && one.operation?.state !== 'refused',
    );
    if (shown.invoice) await showInvoice(ctx, shown.invoice, others);
    else {
      nameOthers(ctx, others);
      await press(ctx, 'history', 'receipt', shown.operation.id);
    }
    return true;
  }

  /** Shows the latest order or invoice that the user pays, or else the history, or a guest's invoices. */
  async function showOrder(ctx: BotContext, isMeant = isOrderOf(ctx.from.id)): Promise<void> {
    if (await showLatest(ctx, isMeant)) return;
    await press(ctx, (await maker.isForOthers(ctx)) ? 'history' : INVOICE_LIST, 'open');
  }

  /** Shows the latest invoice of which a part may have been paid. Returns whether there is one. */
  const showPart = (ctx: BotContext) =>
    showLatest(ctx, (one) => takesParts(one) && isOrderOf(ctx.from.id)(one));

  return {
    name: 'questions',
    keepsFlow: true,
    buttonWords: QUESTION_WORDS,
    buttons: {
      /** Names Smart Mode that the service has paused above the answer. */
      async energy(ctx) {
        const paused = await pausedByServiceView(deps, ctx);
        if (paused) {
          addHeader(ctx, paused.html);
          ctx.headerButtons = paused.keyboard.flat();
        }
        await showOrder(ctx);
      },
      async arrival(ctx) {
        const isMeant = (one: Subject) => isAwaited(one) && isOrderOf(ctx.from.id)(one);
        if (!(await showLatest(ctx, isMeant))) await press(ctx, HELP_FEATURE, HELP_BUTTONS.topic, 'arrival');
      },
      paid: (ctx) =>
        showOrder(ctx, (one) => isOrderOf(ctx.from.id)(one) && one.operation?.state !== 'refused'),
      /** Shows sellers the invoice of a customer rather than one of their own. */
      async status(ctx) {
        const isSale = ({ invoice }: Subject) => invoice !== undefined && isForCustomer(ctx.from.id, invoice);
        if (!(await showLatest(ctx, isSale))) await showOrder(ctx);
      },
      latest: (ctx) => showOrder(ctx, () => true),
      /** Shows an account's balance, unless an invoice was paid that brought no energy. */
      async money(ctx) {
        const isMeant = (one: Subject) => isUnsettled(one) && isOrderOf(ctx.from.id)(one);
        if (!(await showLatest(ctx, isMeant))) await press(ctx, 'history', 'money');
      },
      async part(ctx) {
        if (!(await showPart(ctx))) await press(ctx, HELP_FEATURE, 'payment');
      },
      async left(ctx) {
        if (await showPart(ctx)) return;
        const isLinked = (await linkOf(deps, ctx)) !== undefined;
        await (isLinked ? press(ctx, 'menu', 'balance') : press(ctx, HELP_FEATURE, 'payment'));
      },
      /** Shows a guest's invoice, or how far its creation is, and account holders the list. */
      async invoice(ctx) {
        if (await maker.isForOthers(ctx)) return press(ctx, INVOICE_LIST, 'open');
        const [latest] = await history.since(ctx.from.id, now() - JUST_CREATED_MS, 1);
        if (latest === undefined || latest.state === 'done' || latest.request.kind !== invoiceKind.name)
          return showOrder(ctx, isInvoice);
        const html = inShort(ctx.words, latest, { kinds, now: now() });
        return void (await send(ctx, { html, keyboard: [] }, latest.receipt.card));
      },
      customer: (ctx) => press(ctx, INVOICE_LIST, 'open'),
      /** Says that an unpaid invoice needn't be cancelled, with the latest payable one or with a seller's list of them. */
      async unwanted(ctx) {
        const { words, from, chatId, session, tx } = ctx;
        const open = (await recentSubjects(from.id)).find(
          ({ invoice }) =>
            invoice && isPayable(cardStateOf(invoice, now(), { isRevoked: isRevokedFor(invoice, chatId) })),
        )?.invoice;
        if (open === undefined) {
          const isAsked = tx.conversation !== undefined || (session.card ?? session.code) !== undefined;
          addHeader(ctx, words.html(isAsked ? 'invoices-none-open' : 'cancelled-nothing'));
          return isAsked ? undefined : void (await deps.openMenu(ctx));
        }
        const isSale = isForCustomer(from.id, open);
        addHeader(ctx, words.html('invoice-unwanted', { reader: isSale ? 'merchant' : 'buyer' }));
        await (isSale ? press(ctx, INVOICE_LIST, 'unpaid') : sendInvoiceCard(deps, ctx, open));
      },
    },
  };

  /** Returns the number that a subject is called by, or an operation's reference. */
  function numberOf({ invoice, operation }: Subject): string {
    if (invoice) return String(invoice.number);
    const isNumbered = operation.state === 'done' && kinds.of(operation.request).listing === undefined;
    return String((isNumbered ? operation.result.order : undefined) ?? operation.id);
  }
});
