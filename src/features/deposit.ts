import { linkedOf } from '../bot/accounts.ts';
import { latestFirst } from '../bot/address-views.ts';
import { depositLine } from '../bot/event-lines.ts';
import { defineFeature } from '../bot/feature.ts';
import { screen } from '../bot/screen.ts';
import { formatAlternatives } from '../i18n/formats.ts';
import { qrCode } from '../i18n/images.ts';
import type { Words } from '../i18n/texts.ts';
import { balanceButton, button, callbackData, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { readAddress } from '../rental-api/address.ts';
import type { DepositInfo, DepositRecord } from '../rental-api/schemas.ts';

const NAME = 'deposit';
const HISTORY = 'history';
const MAX_SHOWN = 10;
/** Maximum number of currencies that are shown. More would be an error of the service. */
const MAX_CURRENCIES = 5;

/** Creates the feature that shows the account's deposit address and past deposits. */
export const depositFeature = defineFeature((deps) => {
  const history = screen(deps, {
    name: NAME,
    retryButton: HISTORY,
    read: (rental, apiKey) => rental.deposits(apiKey),
    view: depositHistory,
  });
  const card = screen(deps, {
    name: NAME,
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
      const link = await linkedOf(deps, ctx)?.find();
      // A user who opens this is about to send money, so the deposit must be found even without an event.
      if (link) ctx.tx.afterCommit(() => deps.pollers.pollSoon(link.account, 'deposits'));
    },
  };
});

function depositCard(words: Words, info: DepositInfo): View {
  // Users send money to this address: one with a wrong checksum is worse than none.
  const read = readAddress(info.deposit_address);
  if (!read.ok) {
    const again = button(words, 'button-try-again', callbackData(NAME, 'open'));
    return withMenuButton(words, words.html('deposit-unreadable'), [again]);
  }
  const { address } = read;
  const copy = { text: words.plain('button-copy-address'), copy_text: { text: address } };
  const history = button(words, 'button-deposit-history', callbackData(NAME, HISTORY));
  const html = words.html('deposit-card', {
    rate: info.usdt_to_trx_rate ?? 'none',
    usd: info.trx_usd_rate ?? 'none',
    currencies: formatAlternatives(info.accepted_currencies.slice(0, MAX_CURRENCIES), words.language),
    address,
  });
  return { ...withMenuButton(words, html, [copy, history], [balanceButton(words)]), photo: qrCode(address) };
}

function depositHistory(words: Words, deposits: DepositRecord[]): View {
  const shown = latestFirst(deposits, ({ created_at }) => created_at).slice(0, MAX_SHOWN);
  const html = paragraphs(
    words.html('deposit-history'),
    ...(shown.length > 0
      ? shown.map((deposit) => depositLine(words, deposit))
      : [words.html('deposit-none')]),
    deposits.length > MAX_SHOWN && words.html('deposit-latest', { most: MAX_SHOWN }),
  );
  return withMenuButton(words, html, [balanceButton(words)]);
}
