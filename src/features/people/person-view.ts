import { BigNumber } from 'bignumber.js';
import type { AdminLogEntry } from '../../accounts/admin-log.ts';
import type { Link } from '../../accounts/links.ts';
import type { BotUser } from '../../accounts/users.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import {
  formatDay,
  formatKeyTail,
  formatMoment,
  lines,
  shortenAddress,
  type Words,
} from '../../i18n/texts.ts';
import { type Invoice, invoiceStateOf, isPayable, listedStateOf } from '../../invoices/invoice.ts';
import type { Outbox } from '../../notifications/outbox.ts';
import { sharedReturns } from '../../operations/balance-rises.ts';
import { headline } from '../../operations/card.ts';
import type { Kinds } from '../../operations/kinds/kind.ts';
import { isConfirmed, isUnresolved, type Operation } from '../../operations/operation.ts';
import { isFailed } from '../../operations/order-state.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { OPERATOR_ACCOUNT } from '../../rental-api/client.ts';

export interface PersonDeps extends FeatureDeps {
  outbox: Pick<Outbox, 'countPending'>;
}

type Suspension = Pick<AdminLogEntry, 'at' | 'admin'> & { name: string | undefined };

/** Returns when and by whom a suspended user was suspended; `undefined` if the log doesn't say so (any more). */
export async function suspensionOf(
  { adminLog, users }: Pick<FeatureDeps, 'adminLog' | 'users'>,
  { user, isBanned }: BotUser,
): Promise<Suspension | undefined> {
  const entry = isBanned ? await adminLog.findLatest('person-banned', String(user)) : undefined;
  return entry && { ...entry, name: (await users.find(entry.admin))?.username };
}

/**
 * Renders who a user is: name, account, role, days, language, and whether messages reach them. `suspension`: when an admin
 * suspended the user, and that admin's name, if they are known.
 */
export function userLines(
  words: Words,
  { user, username, firstDay, lastDay, language, ...person }: BotUser,
  {
    link,
    isAdmin,
    suspension,
  }: { link: Link | undefined; isAdmin: boolean; suspension: Suspension | undefined },
): string {
  const day = (days: number) => formatDay(days * DAY_MS, words.language);
  return lines(
    words.html('person-title', { user: String(user), name: username ?? 'none' }),
    isAdmin && words.html('person-admin'),
    link
      ? words.html('person-linked', {
          account: String(link.account),
          tail: formatKeyTail(link.tail),
          since: formatDay(link.linkedAt, words.language),
        })
      : words.html('person-guest'),
    link?.isMerchant && words.html('person-merchant'),
    words.html('person-since', { first: day(firstDay), last: day(lastDay) }),
    words.html('person-language', { language: words.plain('making-language', { language }) }),
    person.hasOptedOut && words.html('person-no-news'),
    person.unreachable && words.html('person-unreachable', { why: person.unreachable }),
    person.isBanned &&
      words.html('person-banned', {
        since: suspension ? formatMoment(suspension.at, words.language) : 'none',
        admin: String(suspension?.admin ?? ''),
        name: suspension?.name ?? 'none',
      }),
  );
}

/** Returns the user's invoices that can be paid. */
export async function openInvoices(
  { invoices, now }: Pick<PersonDeps, 'invoices' | 'now'>,
  { user, link }: { user: number; link: Link | undefined },
): Promise<Invoice[]> {
  const { trackedInvoices } = invoices.linkChanges;
  const [guests, own] = await Promise.all([
    trackedInvoices({ user, account: OPERATOR_ACCOUNT }),
    link === undefined ? [] : trackedInvoices({ user, account: link.account }),
  ]);
  return [...guests, ...own].filter((invoice) => isPayable(invoiceStateOf(invoice, now())));
}

/** Renders what the user waits for, and what came of their operations. `operations`: those of the last 90 days. */
export async function waitingLines(
  { operations: { kinds, undelivered }, outbox, ...deps }: PersonDeps,
  words: Words,
  { user, link, operations }: { user: number; link: Link | undefined; operations: readonly Operation[] },
): Promise<string> {
  const [open, unshown, pending] = await Promise.all([
    openInvoices(deps, { user, link }),
    undelivered(user),
    outbox.countPending(user),
  ]);
  const done = operations.filter((operation) => operation.state === 'done');
  const charged = done.filter(
    ({ request, result }) =>
      !isFailed(result) && !kinds.of(request).isTrackedElsewhere && !kinds.of(request).isFree?.(request),
  );
  const priced = charged.filter(({ result }) => result.price !== undefined);
  const unpriced = charged.filter(({ result }) => result.price === undefined);
  const trx = BigNumber.sum(0, ...priced.map(({ result }) => result.price ?? 0));
  const accounts = [...new Set(operations.map(({ account }) => account))];
  const returned = accounts.flatMap((account) =>
    sharedReturns(operations.filter((operation) => operation.account === account)),
  );
  const returnedTrx = BigNumber.sum(0, ...returned.map((one) => one.trx));
  const estimate = BigNumber.sum(0, ...unpriced.map((operation) => operation.estimate ?? 0));
  const count = (key: Parameters<Words['html']>[0], number: number) =>
    number > 0 && words.html(key, { count: number });
  return lines(
    count('person-waiting', operations.filter(isUnresolved).length),
    count('person-invoices', open.length),
    count('person-undelivered', unshown.length + pending),
    count('person-failed', operations.filter(hasFailed).length),
    priced.length > 0 && words.html('person-bought', { count: priced.length, trx: trx.toFixed() }),
    unpriced.length > 0 &&
      words.html('person-unpriced', {
        count: unpriced.length,
        estimate: estimate.gt(0) ? estimate.toFixed() : 'none',
      }),
    returnedTrx.gt(0) && words.html('person-returned', { trx: returnedTrx.toFixed() }),
  );
}

function hasFailed(operation: Operation): boolean {
  return operation.state === 'refused' || (operation.state === 'done' && isFailed(operation.result));
}

/**
 * Renders operations in a list: state, time, address, price and id of each. An invoice is shown as what became of it.
 * `owners`: user of each operation, in a list of several users' operations, which also names the number of each order.
 */
export async function operationLines(
  { operations: { kinds }, invoices, now }: Pick<FeatureDeps, 'operations' | 'invoices' | 'now'>,
  words: Words,
  operations: readonly Operation[],
  owners: readonly (BotUser | undefined)[] = [],
): Promise<string[]> {
  const made = await Promise.all(
    operations.map((operation) =>
      operation.state === 'done' && kinds.of(operation.request).isTrackedElsewhere
        ? invoices.read(operation)
        : undefined,
    ),
  );
  return operations.map((operation, at) =>
    lines(
      operationLine(
        words,
        { kinds, now: now() },
        { operation, invoice: made[at], isNumbered: owners.length > 0 },
      ),
      owners.length > 0 &&
        words.html('person-owner', {
          user: String(operation.user),
          name: owners[at]?.username ?? 'none',
        }),
    ),
  );
}

function operationLine(
  words: Words,
  { kinds, now }: { kinds: Pick<Kinds, 'of'>; now: number },
  {
    operation,
    invoice,
    isNumbered,
  }: { operation: Operation; invoice: Invoice | undefined; isNumbered: boolean },
): string {
  const { request, id } = operation;
  const at = isConfirmed(operation) ? operation.claimedAt : operation.createdAt;
  const kind = kinds.of(request);
  const price = invoice?.priceTrx ?? (operation.state === 'done' ? operation.result.price : undefined);
  const state = invoice
    ? words.html(`invoices-${listedStateOf(invoice, now)}`)
    : headline(words, kind, operation, now);
  const order = operation.state === 'done' && isNumbered ? operation.result.order : undefined;
  const number = invoice?.number ?? order;
  const about = [
    kind.title(words, request),
    number !== undefined && `№ ${number}`,
    shortenAddress(kind.target(request)),
    price !== undefined && words.html('person-price', { price }),
    `<code>${id}</code>`,
  ];
  return lines(`${state} · ${formatMoment(at, words.language)}`, about.filter(Boolean).join(' · '));
}

/** Renders an invoice that the user opened as its payer: state, time, number, price, maker and id. */
export function openedInvoiceLine(words: Words, invoice: Invoice, now: number): string {
  const { user, id, number, priceTrx: price, createdAt } = invoice;
  const state = words.html(`invoices-${listedStateOf(invoice, now)}`);
  return lines(
    `${state} · ${formatMoment(createdAt, words.language)}`,
    [
      `№ ${number}`,
      words.html('person-price', { price }),
      words.html('person-invoice-maker', { user: String(user) }),
      `<code>${id}</code>`,
    ].join(' · '),
  );
}
