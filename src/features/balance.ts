import { linkOf, screen } from '../bot/accounts.ts';
import { latestFirst } from '../bot/address-views.ts';
import { depositLine, withdrawalLine } from '../bot/event-lines.ts';
import { defineFeature } from '../bot/feature.ts';
import { qrCode } from '../i18n/images.ts';
import {
  balanceButton,
  button,
  callbackData,
  formatAlternatives,
  formatMoment,
  paragraphs,
  type View,
  type Words,
  withMenuButton,
} from '../i18n/texts.ts';
import type { Operation } from '../operations/operation.ts';
import type { Outcome, Rental } from '../rental-api/client.ts';
import type { DepositInfo, DepositRecord, Withdrawal } from '../rental-api/schemas.ts';
import { readAddress } from '../rental-api/tron.ts';

const DEPOSIT = 'deposit';
const HISTORY = 'history';
const MAX_DEPOSITS = 10;
/** Maximum number of currencies shown. A longer list would be an error of the service. */
const MAX_CURRENCIES = 5;

export const depositFeature = defineFeature((deps) => {
  const history = screen(deps, {
    name: DEPOSIT,
    retryButton: HISTORY,
    read: (rental, apiKey) => rental.deposits(apiKey),
    view: depositHistory,
  });
  const card = screen(deps, {
    name: DEPOSIT,
    menu: { button: 'button-deposit', place: 'balance', for: 'linked' },
    command: { name: 'deposit', text: 'command-deposit' },
    buttons: { [HISTORY]: history.open },
    read: (rental, apiKey) => rental.depositInfo(apiKey),
    view: depositCard,
  });
  return {
    ...card,
    async open(ctx) {
      await card.open(ctx);
      const link = await linkOf(deps, ctx);
      // A user who opens this is about to send money, so the deposit must be found even without an event.
      if (link) ctx.tx.afterCommit(() => deps.pollers.pollSoon(link.account, 'deposits'));
    },
  };
});

function depositCard(words: Words, info: DepositInfo): View {
  // Users send money to this address: one with a wrong checksum is worse than none.
  const read = readAddress(info.deposit_address);
  if (!read.ok) {
    const again = button(words, 'button-try-again', callbackData(DEPOSIT, 'open'));
    return withMenuButton(words, words.html('deposit-unreadable'), [again]);
  }
  const { address } = read;
  const copy = { text: words.plain('button-copy-address'), copy_text: { text: address } };
  const history = button(words, 'button-deposit-history', callbackData(DEPOSIT, HISTORY));
  const html = words.html('deposit-card', {
    rate: info.usdt_to_trx_rate ?? 'none',
    usd: info.trx_usd_rate ?? 'none',
    currencies: formatAlternatives(info.accepted_currencies.slice(0, MAX_CURRENCIES), words.language),
    address,
  });
  return { ...withMenuButton(words, html, [copy, history], [balanceButton(words)]), photo: qrCode(address) };
}

function depositHistory(words: Words, deposits: DepositRecord[]): View {
  const shown = latestFirst(deposits, ({ created_at }) => created_at).slice(0, MAX_DEPOSITS);
  const html = paragraphs(
    words.html('deposit-history'),
    ...(shown.length > 0
      ? shown.map((deposit) => depositLine(words, deposit))
      : [words.html('deposit-none')]),
    deposits.length > MAX_DEPOSITS && words.html('deposit-latest', { most: MAX_DEPOSITS }),
  );
  return withMenuButton(words, html, [balanceButton(words)]);
}

const MAX_MOVEMENTS = 15;
/** Operations read for the list. More than {@link MAX_MOVEMENTS}: some may be free or belong to another account. */
const OPERATIONS_READ = 40;

interface Movements {
  deposits: DepositRecord[];
  withdrawals: Withdrawal[];
}

/** Lists the account's payments. The service lists no orders, so these are the user's operations. */
export const movementsFeature = defineFeature((deps) => {
  const { history, kinds } = deps.operations;

  function orderLine(words: Words, { request, result, claimedAt = 0 }: Operation): string {
    const line = words.html('movement-order', {
      when: formatMoment(claimedAt, words.language),
      price: result?.price ?? 'none',
      what: result?.status === 'failed' ? 'given back' : 'paid',
    });
    return `${line} · ${kinds.of(request).title(words, request)}`;
  }

  /** Returns whether an operation was paid from this account and is missing in the service's lists. */
  function isPaid({ state, account, request }: Operation, payingAccount: number): boolean {
    const kind = kinds.of(request);
    return state === 'done' && account === payingAccount && !kind.isFree?.(request) && !kind.withdrawalAmount;
  }

  async function view(
    words: Words,
    { deposits, withdrawals }: Movements,
    { user, account }: { user: number; account: number },
  ): Promise<View> {
    const { operations } = await history.page(user, { size: OPERATIONS_READ });
    const orders = operations.filter((one) => isPaid(one, account));
    const all = latestFirst(
      [
        ...deposits.map((one) => ({ time: one.created_at, line: depositLine(words, one) })),
        ...withdrawals.map((one) => ({ time: one.created_at, line: withdrawalLine(words, one) })),
        ...orders.map((one) => ({
          time: new Date(one.claimedAt ?? 0).toISOString(),
          line: orderLine(words, one),
        })),
      ],
      ({ time }) => time,
    );
    const shown = all.slice(0, MAX_MOVEMENTS).map(({ line }) => line);
    const html = paragraphs(
      words.html('movements-title'),
      ...(shown.length > 0 ? shown : [words.html('movements-none')]),
      words.html('movements-note', { most: MAX_MOVEMENTS }),
    );
    return withMenuButton(words, html, [balanceButton(words)]);
  }

  return screen(deps, {
    name: 'movements',
    menu: { button: 'button-movements', place: 'balance', for: 'linked' },
    read: readMovements,
    view,
  });
});

async function readMovements(rental: Rental, apiKey: string): Promise<Outcome<Movements>> {
  const [deposits, withdrawals] = await Promise.all([rental.deposits(apiKey), rental.withdrawals(apiKey)]);
  if (deposits.kind !== 'accepted') return deposits;
  if (withdrawals.kind !== 'accepted') return withdrawals;
  return { kind: 'accepted', value: { deposits: deposits.value, withdrawals: withdrawals.value } };
}
