import { latestFirst } from '../bot/address-views.ts';
import { depositLine, withdrawalLine } from '../bot/event-lines.ts';
import { defineFeature } from '../bot/feature.ts';
import { screen } from '../bot/screen.ts';
import { formatMoment } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { balanceButton, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import type { Operation } from '../operations/operation.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';
import type { DepositRecord, Withdrawal } from '../rental-api/schemas.ts';

const MAX_SHOWN = 15;
/** Number of the user's latest operations that are searched. Some may be of another account, or free. */
const READ = 40;

interface Movements {
  deposits: DepositRecord[];
  withdrawals: Withdrawal[];
}

interface Movement {
  time: string | undefined;
  line: string;
}

/**
 * Creates the feature that lists the account's incoming and outgoing payments. The service lists no orders, so these
 * are the user's own operations with the bot.
 */
export const movementsFeature = defineFeature((deps) => {
  const { history, kinds } = deps.operations;

  function orderOf(words: Words, { request, result, claimedAt = 0 }: Operation): Movement {
    const line = words.html('movement-order', {
      when: formatMoment(claimedAt, words.language),
      price: result?.price ?? 'none',
      what: result?.status === 'failed' ? 'given back' : 'paid',
    });
    return {
      time: new Date(claimedAt).toISOString(),
      line: `${line} · ${kinds.of(request).title(words, request)}`,
    };
  }

  /** Returns whether an operation is of this account, has a price and is missing in the service's lists. */
  function isPaid({ state, account, request }: Operation, of: number): boolean {
    const kind = kinds.of(request);
    return state === 'done' && account === of && !kind.isFree?.(request) && !kind.withdrawalAmount;
  }

  async function view(
    words: Words,
    { deposits, withdrawals }: Movements,
    { user, account }: { user: number; account: number },
  ): Promise<View> {
    const { operations } = await history.page(user, { size: READ });
    const all = latestFirst<Movement>(
      [
        ...deposits.map((one) => ({ time: one.created_at, line: depositLine(words, one) })),
        ...withdrawals.map((one) => ({ time: one.created_at, line: withdrawalLine(words, one) })),
        ...operations.filter((one) => isPaid(one, account)).map((one) => orderOf(words, one)),
      ],
      ({ time }) => time,
    );
    const shown = all.slice(0, MAX_SHOWN).map(({ line }) => line);
    const html = paragraphs(
      words.html('movements-title'),
      ...(shown.length > 0 ? shown : [words.html('movements-none')]),
      words.html('movements-note', { most: MAX_SHOWN }),
    );
    return withMenuButton(words, html, [balanceButton(words)]);
  }

  return screen(deps, {
    name: 'movements',
    menu: { button: 'button-movements', place: 'balance', for: 'linked' },
    read,
    view,
  });
});

async function read(rental: Rental, apiKey: string): Promise<Outcome<Movements>> {
  const [deposits, withdrawals] = await Promise.all([rental.deposits(apiKey), rental.withdrawals(apiKey)]);
  if (deposits.kind !== 'accepted') return deposits;
  if (withdrawals.kind !== 'accepted') return withdrawals;
  return { kind: 'accepted', value: { deposits: deposits.value, withdrawals: withdrawals.value } };
}
