import { z } from 'zod';
import { parseTrx } from '../../rental/money.ts';
import type { TextKey } from '../../texts/keys.ts';
import { listed, noticeKind } from './kind.ts';

/** More than there is of either currency. */
const MOST = 1e15;

const data = z.object({
  status: z.string(),
  id: z.number().optional(),
  amount: z.string().optional(),
  currency: z.string().optional(),
  trx: z.string().optional(),
});

const NOTICED = { known: 'deposit-noticed', bare: 'deposit-noticed-bare' } as const;
const TEXTS: Record<string, { known: TextKey; bare: TextKey }> = {
  pending: NOTICED,
  confirmed: { known: 'deposit-credited', bare: 'deposit-credited-bare' },
  expired: { known: 'deposit-expired', bare: 'deposit-expired-bare' },
};

/** Something came into an account: noticed, credited, or expired. */
export const depositNotice = noticeKind({
  name: 'deposit',
  data,
  isMoney: true,
  mutable: 'deposits',
  view: listed({
    head: (words, count) => words.html('notice-deposit', { count }),
    text(words, { status, amount, currency, trx }) {
      // Nobody is told that they have what they may not have.
      const texts = TEXTS[status] ?? NOTICED;
      const [whole, credited] = [amountOf(amount), amountOf(trx)];
      if (whole === undefined || (currency !== 'TRX' && currency !== 'USDT')) return words.html(texts.bare);
      const isConverted = currency === 'USDT' && credited !== undefined;
      return words.html(texts.known, {
        ...{ amount: whole, currency, converted: isConverted ? 'yes' : 'no' },
        trx: credited ?? whole,
      });
    },
  }),
});

/** As it is to be read; `undefined` where it can be no amount (the fields of a deposit aren't documented, section 2). */
function amountOf(amount: string | undefined): string | undefined {
  const number = amount === undefined ? undefined : parseTrx(amount);
  return number?.gt(0) && number.lt(MOST) ? number.toFixed() : undefined;
}
