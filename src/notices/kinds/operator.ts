import { z } from 'zod';
import type { Kinds } from '../../operations/kinds/kinds.ts';
import { clockSeconds } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { lines, paragraphs } from '../../texts/view.ts';
import { alone, noticeKind } from './kind.ts';

const by = z.number();

const dataOf = (kinds: Pick<Kinds, 'request'>) =>
  z.discriminatedUnion('what', [
    z.object({ what: z.enum(['linked', 'unlinked']), by }),
    z.object({ what: z.literal('cap'), by, trx: z.string() }),
    z.object({ what: z.literal('alert'), by, trx: z.string().optional() }),
    z.object({ what: z.literal('low'), balance: z.string(), mark: z.string() }),
    /** Epoch milliseconds. */
    z.object({ what: z.literal('key'), by, at: z.number() }),
    z.object({
      ...{ what: z.literal('used'), by, id: z.string(), request: kinds.request },
      outcome: z.enum(['done', 'failed', 'refused', 'unknown', 'likely', 'closed']),
      /** TRX, decimal: what it cost, or was to. */
      trx: z.string().optional(),
    }),
  ]);

export type OperatorNews = z.infer<ReturnType<typeof dataOf>>;
type Used = Extract<OperatorNews, { what: 'used' }>;

/** What becomes of the operator's account, for all admins. It can't be muted: an admin's Telegram may be a thief's. */
export const createOperatorNotice = ({ admins, kinds }: { admins: ReadonlySet<number>; kinds: Kinds }) => {
  function used(words: Words, { by, outcome, request, trx = 'unknown', id }: Used): string {
    const kind = kinds.of(request);
    return lines(
      words.html('operator-told-used', { by: String(by), outcome }),
      kind.title(words, request),
      words.html('operation-address', { address: kind.target(request) }),
      words.html('operator-told-price', { trx }),
      words.html('operator-told-number', { id }),
    );
  }

  function said(words: Words, told: OperatorNews): string {
    switch (told.what) {
      case 'used':
        return used(words, told);
      case 'low':
        return words.html('operator-told-low', { balance: told.balance, mark: told.mark });
      case 'key':
        return words.html('operator-told-key', {
          by: String(told.by),
          time: `${clockSeconds(told.at)} UTC`,
        });
      case 'cap':
      case 'alert':
        return words.html(`operator-told-${told.what}`, { by: String(told.by), trx: told.trx ?? 'none' });
      case 'linked':
      case 'unlinked':
        return words.html(`operator-told-${told.what}`, { by: String(told.by) });
    }
  }

  return noticeKind({
    name: 'operator',
    data: dataOf(kinds),
    isMoney: true,
    isAlone: true,
    view: alone((words, told) => ({
      html: paragraphs(words.html('operator-told'), said(words, told)),
      keyboard: [],
    })),
    isStill: async (_, { chat }) => admins.has(chat),
  });
};
