/** State of an operation, as its message shows it. */
export type Standing =
  | 'open'
  | 'going'
  | 'done'
  | 'undelivered'
  | 'refused'
  | 'unknown'
  | 'likely'
  | 'closed'
  | 'cancelled'
  | 'replaced'
  | 'expired';

export interface Receipt {
  operation: string;
  standing: Standing;
  /** Purchase by kind, amount, hours and address. Each is made at most once here. */
  purchase: string;
}

const STANDINGS: [begins: string, Standing][] = [
  ['Check before you confirm', 'open'],
  ['⏳', 'going'],
  ['✅', 'done'],
  ['❌ Not delivered', 'undelivered'],
  ['❌', 'refused'],
  ['⚠️', 'unknown'],
  ['🟡', 'likely'],
  ['☑️', 'closed'],
  ['✖️', 'cancelled'],
  ['⤵️', 'replaced'],
  ['⌛', 'expired'],
];

/** States whose receipt says that nothing was charged. */
export const UNCHARGED: readonly Standing[] = ['open', 'refused', 'cancelled', 'replaced', 'expired'];
/** States of operations that were never executed. */
export const NEVER_BEGUN: readonly Standing[] = ['cancelled', 'replaced', 'expired'];
/** States without a known outcome. */
export const UNTOLD: readonly Standing[] = ['open', 'going'];

/** Parses the message of an operation. Returns `undefined` for any other message. */
export function readReceipt(text: string): Receipt | undefined {
  const address = /^To: (T\w{33})$/m.exec(text)?.[1];
  const operation = /^Operation ([0-9A-HJKMNP-TV-Z]{8})$/m.exec(text)?.[1];
  const standing = STANDINGS.find(([begins]) => text.startsWith(begins))?.[1];
  if (address === undefined || operation === undefined || standing === undefined) return undefined;
  const [, amount = '', kind, hours] = /([\d,]+) (energy|bandwidth) · (\d+) hour/.exec(text) ?? [];
  const what = kind === undefined ? 'activation' : `${kind}/${amount.replaceAll(',', '')}/${hours}`;
  return { operation, standing, purchase: `${what}/${address}` };
}
