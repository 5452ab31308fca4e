import { depositAddressNote, linkOf, screen } from '../bot/accounts.ts';
import { defineFeature } from '../bot/feature.ts';
import { formatAlternatives, formatMoment, momentVariables, paragraphs, type Words } from '../i18n/texts.ts';
import { qrCode } from '../pictures/qr-code.ts';
import type { DepositInfo, DepositRecord } from '../rental-api/schemas.ts';
import { readAddress } from '../rental-api/tron.ts';
import { callbackData } from '../views/callback-data.ts';
import { button, type View, withMenuButton } from '../views/view.ts';
import { latestFirst } from './views/latest-first.ts';

const DEPOSIT = 'deposit';
const HISTORY = 'history';
const MAX_DEPOSITS = 10;
/** Maximum number of currencies shown. A longer list would be an error of the service. */
const MAX_CURRENCIES = 5;

export const depositFeature = defineFeature((deps) => {
  const history = screen(deps, {
    name: DEPOSIT,
    retryButton: HISTORY,
    read: (reads) => reads.deposits(),
    view: depositHistory,
  });
  const card = screen(deps, {
    name: DEPOSIT,
    menu: { button: 'button-deposit', place: 'balance', for: 'linked' },
    command: { name: 'deposit', text: 'command-deposit', linked: true },
    buttons: { [HISTORY]: history.open },
    read: (reads) => reads.depositInfo(),
    view: (words, info, { user, account }, ctx) =>
      depositCard(words, info, (address) => depositAddressNote(deps, ctx, { user, account, address })),
  });
  return {
    ...card,
    buttonWords: {
      [HISTORY]: [
        'where is my deposit',
        'did my deposit arrive',
        'has my deposit arrived',
        'is my deposit there',
        'пришли ли деньги',
        'пополнение пришло',
        'пришло ли пополнение',
        'пришло пополнение',
        'where s my deposit',
        'где мой депозит',
        'где моё пополнение',
        'где пополнение',
      ],
    },
    async open(ctx) {
      await card.open(ctx);
      const link = await linkOf(deps, ctx);
      // A user who opens this is about to send money, so the deposit must be found even without an event.
      if (link) ctx.tx.afterCommit(() => deps.pollers.pollSoon(link.account, 'deposits'));
    },
  };
});

const balanceButton = (words: Words) => button(words, 'button-balance', callbackData('menu', 'balance'));

async function depositCard(
  words: Words,
  info: DepositInfo,
  noteOf: (address: string) => Promise<string | false>,
): Promise<View> {
  // Deposits to a wrong address are lost, so an address with a wrong checksum isn't shown.
  const read = readAddress(info.deposit_address);
  if (!read.ok) {
    const again = button(words, 'button-try-again', callbackData(DEPOSIT, 'open'));
    return withMenuButton(words, words.html('deposit-unreadable'), [again]);
  }
  const { address } = read;
  const copy = { text: words.plain('button-copy-address'), copy_text: { text: address } };
  const history = button(words, 'button-deposit-history', callbackData(DEPOSIT, HISTORY));
  const html = paragraphs(
    await noteOf(address),
    words.html('deposit-card', {
      rate: info.usdt_to_trx_rate ?? 'none',
      currencies: formatAlternatives(info.accepted_currencies.slice(0, MAX_CURRENCIES), words.language),
      address,
    }),
  );
  return { ...withMenuButton(words, html, [copy, history], [balanceButton(words)]), photo: qrCode(address) };
}

function depositHistory(words: Words, deposits: DepositRecord[]): View {
  const shown = latestFirst(deposits, ({ created_at }) => created_at).slice(0, MAX_DEPOSITS);
  const html = paragraphs(
    words.html('deposit-history'),
    ...(shown.length > 0 ? shown.map((deposit) => depositLine(words, deposit)) : [words.html('list-empty')]),
    deposits.length > MAX_DEPOSITS && words.html('list-latest', { most: MAX_DEPOSITS }),
  );
  return withMenuButton(words, html, [balanceButton(words)]);
}

function depositLine(
  words: Words,
  { amount, amount_trx: trx, currency, status, created_at }: DepositRecord,
): string {
  const isConverted = status === 'confirmed' && currency !== 'TRX';
  return words.html('movement-deposit', {
    ...momentOf(words, created_at),
    amount: amount ?? '?',
    currency: currency ?? '',
    trx: (isConverted && trx) || 'none',
    status,
  });
}

function momentOf({ language }: Words, time: string | undefined) {
  if (time === undefined) return { unix: 'none', at: 'none' };
  return momentVariables(Date.parse(time), (at) => formatMoment(at, language));
}
