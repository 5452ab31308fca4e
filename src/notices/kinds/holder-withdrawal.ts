import { z } from 'zod';
import { callbackData } from '../../texts/callback-data.ts';
import { button, lines, notice, paragraphs } from '../../texts/view.ts';
import { alone, noticeKind } from './kind.ts';

/** Somebody else who holds the account has confirmed a withdrawal here. It can't be muted: it may be a theft. */
export const createHolderWithdrawal = ({ supportUrl }: { supportUrl: string | undefined }) =>
  noticeKind({
    name: 'holder-withdrawal',
    data: z.object({ address: z.string(), trx: z.string() }),
    isMoney: true,
    isAlone: true,
    isWarning: true,
    view: alone((words, { address, trx }, { account }) => {
      const html = paragraphs(
        words.html('withdrawal-told', { account: String(account) }),
        lines(words.html('withdrawal-title', { trx }), words.html('operation-address', { address })),
        words.html('withdrawal-told-note'),
      );
      const person = supportUrl ? [[{ text: words.plain('button-support'), url: supportUrl }]] : [];
      return notice(
        words,
        html,
        [button(words, 'button-movements', callbackData('movements', 'open'))],
        ...person,
      );
    }),
  });
