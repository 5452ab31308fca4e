import { z } from 'zod';
import { parseTrx } from '../../rental/money.ts';
import { counted } from '../../texts/formats.ts';
import type { Words } from '../../texts/texts.ts';
import { lines, notice, paragraphs } from '../../texts/view.ts';
import { fieldsSchema } from '../events/fields.ts';
import { noticeKind } from './kind.ts';
import { mutingRow, unknownEvents, unknownRow } from './service-event.ts';

/** In TRX: more than anybody could be charged. */
const MOST_FEE = 1e6;

const data = z.object({ type: z.string(), fields: fieldsSchema });

type Told = z.infer<typeof data>;
type Delivered = { address: string; energy: string; fee: string };

/** Smart Mode delivered energy for a transfer, or did something else that has no words here. */
export const smartModeNotice = noticeKind({
  name: 'smart-mode',
  data,
  isMoney: false,
  mutable: 'smart-mode',
  view(words, told) {
    const delivered = told.map(deliveredOf).filter((one) => one !== undefined);
    const unknown = told.filter((one) => deliveredOf(one) === undefined);
    const html = paragraphs(
      delivered.length > 0 && words.html('notice-smart-mode', { count: delivered.length }),
      ...byAddress(words, delivered),
      unknown.length > 0 && unknownEvents(words, unknown),
    );
    return notice(words, html, unknown.length > 0 ? unknownRow(words) : mutingRow(words));
  },
});

/** What was delivered, where all of it can be so: what can't is shown as it came. */
function deliveredOf({ type, fields }: Told): Delivered | undefined {
  const { address = '', energy_amount: energy = '', fee_trx: fee = '' } = fields;
  const isKnown = /^T[0-9A-Za-z]{33}$/.test(address) && /^\d{1,9}$/.test(energy) && isFee(fee);
  return type === 'smart_mode.transfer' && isKnown ? { address, energy, fee } : undefined;
}

/** Each address once, and below it a line for each delivery; the same ones are one line, with how many they are. */
function byAddress(words: Words, delivered: readonly Delivered[]): string[] {
  const groups = new Map<string, Map<string, number>>();
  for (const { address, energy, fee } of delivered) {
    const line = words.html('smart-mode-delivered', { energy: counted(Number(energy), words.language), fee });
    const group = groups.get(address) ?? new Map<string, number>();
    groups.set(address, group.set(line, (group.get(line) ?? 0) + 1));
  }
  return [...groups].map(([address, group]) =>
    lines(
      words.html('smart-mode-for', { address }),
      ...[...group].map(([line, times]) => (times > 1 ? `${line} ×${times}` : line)),
    ),
  );
}

function isFee(text: string): boolean {
  const fee = parseTrx(text);
  return fee !== undefined && !fee.isNegative() && fee.lt(MOST_FEE);
}
