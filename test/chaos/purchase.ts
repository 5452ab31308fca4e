/** How an operation's message says that it stands. */
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
  /** What is to be bought, by kind, amount, hours and address: people here want each only once. */
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

/** Nothing was charged, says such a receipt. */
export const UNCHARGED: readonly Standing[] = ['open', 'refused', 'cancelled', 'replaced', 'expired'];
/** It was never carried out: whatever was tapped, words said that it came to nothing. */
export const NEVER_BEGUN: readonly Standing[] = ['cancelled', 'replaced', 'expired'];
/** How it stands before anybody knows an outcome. */
export const UNTOLD: readonly Standing[] = ['open', 'going'];

/** What an operation's message says; `undefined` of any other message. */
export function readReceipt(text: string): Receipt | undefined {
  const address = /^To: (T\w{33})$/m.exec(text)?.[1];
  const operation = /^Operation ([0-9A-HJKMNP-TV-Z]{8})$/m.exec(text)?.[1];
  const standing = STANDINGS.find(([begins]) => text.startsWith(begins))?.[1];
  if (address === undefined || operation === undefined || standing === undefined) return undefined;
  const [, amount = '', kind, hours] = /([\d,]+) (energy|bandwidth) · (\d+) hour/.exec(text) ?? [];
  const what = kind === undefined ? 'activation' : `${kind}/${amount.replaceAll(',', '')}/${hours}`;
  return { operation, standing, purchase: `${what}/${address}` };
}
