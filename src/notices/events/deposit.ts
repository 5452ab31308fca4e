import type { Links } from '../../accounts/links.ts';
import type { Log } from '../../log.ts';
import { parseTrx } from '../../rental/money.ts';
import type { RentalEvent } from '../../rental/webhook.ts';
import type { Turns } from '../../storage/turns.ts';
import type { Sender } from '../../telegram/sender.ts';
import type { Texts, Words } from '../../texts/texts.ts';
import { notice } from '../../texts/view.ts';
import { isUntold } from '../untold.ts';
import type { EventHandler } from './event.ts';

/** More than there is of either currency. */
const MOST = 1e15;
const TOLD_MS = 7 * 24 * 3600_000;

/** A deposit was credited: told to everybody who holds the account. */
export function createDepositEvents({
  turns,
  links,
  sender,
  texts,
  log,
}: {
  turns: Turns;
  links: Pick<Links, 'holders' | 'find'>;
  sender: Pick<Sender, 'send'>;
  texts: Texts;
  log: Log;
}): EventHandler {
  async function tell(user: number, account: number, event: RentalEvent): Promise<void> {
    const link = await links.find(user);
    if (link?.account !== account) return;
    const words = texts.in(link.language);
    const send = async () => {
      const sent = await sender.send(user, notice(words, arrived(words, event)));
      if (isUntold(sent, { user, log })) throw new Error('a deposit could not be told yet');
      if (sent.kind === 'refused') log.error({ user, reason: sent.reason }, 'a deposit can not be told');
    };
    // The service sends the event again: by then those who were told aren't told twice.
    const turn = await turns.take(`deposit-told:{${user}}:${event.id}`, send, { keptMs: TOLD_MS });
    if (turn === 'busy') throw new Error('a deposit is being told elsewhere');
  }

  return {
    types: ['deposit.confirmed'],
    async handle(account, event) {
      // Nobody's chat keeps it from the others: who could not be told is, when the event comes again.
      const told = (await links.holders(account)).map((user) => tell(user, account, event));
      for (const one of await Promise.allSettled(told)) if (one.status === 'rejected') throw one.reason;
    },
  };
}

/** The amount as far as the event names one: the fields of a deposit aren't documented (section 2). */
function arrived(words: Words, { data }: RentalEvent): string {
  const { amount, currency } = data;
  const number =
    typeof amount === 'string' || typeof amount === 'number' ? parseTrx(String(amount)) : undefined;
  const isKnown = number?.gt(0) && number.lt(MOST);
  if (number === undefined || !isKnown || (currency !== 'TRX' && currency !== 'USDT')) {
    return words.html('deposit-arrived-bare');
  }
  return words.html('deposit-arrived', { amount: number.toFixed(), currency });
}
