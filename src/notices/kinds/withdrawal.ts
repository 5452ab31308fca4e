import { z } from 'zod';
import type { TextKey } from '../../texts/keys.ts';
import { listed, noticeKind } from './kind.ts';

const TEXTS: Record<string, TextKey> = {
  pending: 'notice-withdrawal-pending',
  completed: 'notice-withdrawal-completed',
  failed: 'notice-withdrawal-failed',
};

/** Money left an account, or came back to it, by the hand of somebody else. */
export const withdrawalNotice = noticeKind({
  name: 'withdrawal',
  data: z.object({ status: z.string(), to: z.string(), trx: z.string(), fee: z.string().optional() }),
  isMoney: true,
  mutable: 'withdrawals',
  view: listed({
    head: (words, count) => words.html('notice-withdrawal', { count }),
    text: (words, { status, to, trx, fee }) =>
      words.html(TEXTS[status] ?? 'notice-withdrawal-pending', { to, amount: trx, fee: fee ?? 'none' }),
  }),
});
