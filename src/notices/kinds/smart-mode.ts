import { z } from 'zod';
import { parseTrx } from '../../rental/money.ts';
import { counted } from '../../texts/formats.ts';
import { fieldsSchema } from '../events/fields.ts';
import { listed, noticeKind } from './kind.ts';
import { eventText } from './service-event.ts';

/** In TRX: more than anybody could be charged. */
const MOST_FEE = 1e6;

/** Smart Mode delivered energy for a transfer, or did something else that has no words here. */
export const smartModeNotice = noticeKind({
  name: 'smart-mode',
  data: z.object({ type: z.string(), fields: fieldsSchema }),
  isMoney: false,
  mutable: 'smart-mode',
  view: listed({
    head: (words, count) => words.html('notice-smart-mode', { count }),
    text(words, { type, fields }) {
      const { address = '', energy_amount: energy = '', fee_trx: fee = '' } = fields;
      const isKnown = /^T[0-9A-Za-z]{33}$/.test(address) && /^\d{1,9}$/.test(energy) && isFee(fee);
      if (type !== 'smart_mode.transfer' || !isKnown) return eventText(words, { type, fields });
      return words.html('smart-mode-delivered', {
        address,
        energy: counted(Number(energy), words.language),
        fee,
      });
    },
  }),
});

/** Whether it can be one: what can't is shown as it came. */
function isFee(text: string): boolean {
  const fee = parseTrx(text);
  return fee !== undefined && !fee.isNegative() && fee.lt(MOST_FEE);
}
