import type { Tap } from './acts.ts';
import type { Chat, Seen } from './chat.ts';
import type { Health } from './health.ts';
import type { Journal } from './journal.ts';
import { NEVER_BEGUN, type Receipt, readReceipt, UNCHARGED, UNTOLD } from './purchase.ts';
import { isAnswered } from './tap-answers.ts';

export type FindingKind = 'doubled' | 'untold' | 'silent' | 'late';

export interface Finding {
  kind: FindingKind;
  /** Identifies the finding across verdicts. */
  key: string;
  chat: number;
  at: number;
  what: string;
  purchase?: string | undefined;
  callback?: string;
}

export interface Evidence {
  chats: readonly Chat[];
  taps: readonly Tap[];
  journal: Journal;
  /** How often the service executed each purchase. */
  executed: ReadonlyMap<string, number>;
  health: Health;
}

export interface Verdict {
  findings: Finding[];
  confirmations: number;
  executions: number;
  toldWithinMs: number;
}

const PROMISED_MS = 20_000;

/** An operation as its chat showed it. */
interface Shown extends Receipt {
  chat: number;
  seen: { at: number; standing: Receipt['standing'] }[];
  /** Taps that confirmed the operation. */
  taps: Tap[];
}

/** Compares what users confirmed, what the service executed and what the chats show. */
export function judge({ chats, taps, journal, executed, health }: Evidence): Verdict {
  const operations = chats.flatMap((chat) => operationsIn(chat, taps));
  const confirmed = operations.filter((one) => one.taps.length > 0);
  const findings: Finding[] = [];
  let toldWithinMs = 0;

  for (const { purchase, ...bought } of purchases()) {
    const { requests, executions, all } = bought;
    const asked = all.filter((one) => one.taps.length > 0);
    const about = { chat: all[0]?.chat ?? 0, at: requests[0]?.at ?? 0, purchase };
    const numbers =
      all.map(({ operation, standing }) => `${operation} (${standing})`).join(', ') || 'unknown';
    const add = (kind: FindingKind, what: string) =>
      findings.push({
        ...about,
        kind,
        key: `${kind}/${purchase}`,
        what: `${purchase}, operation ${numbers}: ${what}`,
      });
    if (executions > 1 || requests.length > 1) {
      add('doubled', `${requests.length} requests, ${executions} executed`);
    } else if (requests.length > 0 && asked.length === 0)
      add('doubled', 'a request was made without a confirmation');
    if (asked.some(({ standing }) => standing === 'going'))
      add('untold', 'its receipt remains in progress forever');
    else if (executions > 0 && all.every(({ standing }) => UNCHARGED.includes(standing))) {
      add('untold', 'the service executed it, but no receipt shows that');
    } else if (executions === 0 && all.some(({ standing }) => standing === 'done')) {
      add('untold', 'the receipt shows a purchase, but the service executed nothing');
    }
  }

  for (const operation of confirmed) {
    const ms = toldWithin(operation);
    toldWithinMs = Math.max(toldWithinMs, ms);
    if (ms <= PROMISED_MS) continue;
    const { chat, purchase } = operation;
    const what = `operation ${operation.operation} (${purchase}) was shown ${(ms / 1000).toFixed(1)} s after the last disturbance`;
    const at = operation.taps[0]?.at ?? 0;
    findings.push({ kind: 'late', key: `late/${operation.operation}`, chat, at, what, purchase });
  }

  for (const tap of taps) {
    const chat = chats.find(({ id }) => id === tap.chat);
    if (chat === undefined || isAnswered(tap, chat.seen)) continue;
    const taken = takenAt(tap) === undefined ? 'was never confirmed' : 'was confirmed';
    const [said] = tap.text.split('\n');
    const of = tap.operation === undefined ? '' : ` of operation ${tap.operation}`;
    const what = `a tap on “${tap.label}”${of} below “${said}” had no result; its update ${tap.update} ${taken}`;
    const key = `silent/${tap.callback}`;
    const purchase = readReceipt(tap.text)?.purchase;
    findings.push({
      kind: 'silent',
      key,
      chat: tap.chat,
      at: tap.at,
      what,
      purchase,
      callback: tap.callback,
    });
  }

  const executions = [...executed.values()].reduce((sum, count) => sum + count, 0);
  return { findings, confirmations: confirmed.length, executions, toldWithinMs };

  function purchases() {
    const names = new Set([...journal.money, ...operations].map(({ purchase }) => purchase));
    return [...names].map((purchase) => ({
      purchase,
      requests: journal.money.filter((one) => one.purchase === purchase),
      executions: executed.get(purchase) ?? 0,
      all: operations.filter((one) => one.purchase === purchase),
    }));
  }

  /**
   * Returns the time until the outcome was shown, counted from the latest of: start, end of disturbances, end of the
   * request.
   */
  function toldWithin({ seen, taps: confirming, purchase }: Shown): number {
    const first = confirming[0]?.at ?? 0;
    const outcome = seen.find(({ at, standing }) => at > first && !UNTOLD.includes(standing));
    if (outcome === undefined || NEVER_BEGUN.includes(outcome.standing)) return 0;
    const told = outcome.at;
    const well = health.wellSince(told);
    if (well === undefined) return 0;
    const requests = journal.money.filter((one) => one.purchase === purchase && one.at <= told);
    const begun = [
      ...seen.filter(({ standing }) => standing === 'going').map(({ at }) => at),
      ...requests.map(({ at }) => at),
      ...confirming.flatMap((tap) => takenAt(tap) ?? []),
    ];
    const since = Math.max(Math.min(told, ...begun), well, ...requests.map(({ over = told }) => over));
    return Math.max(0, told - since);
  }

  /** Returns when the bot confirmed a tap's update. */
  function takenAt({ update }: Tap): number | undefined {
    if (update === null) return undefined;
    const pushed = journal.delivered.find(([id]) => id === update)?.[1];
    return pushed ?? journal.polled.find(([offset]) => offset > update)?.[1];
  }
}

function operationsIn(chat: Chat, taps: readonly Tap[]): Shown[] {
  const found = new Map<string, Shown>();
  const standing = new Map<string, Receipt>();
  const read = ({ message }: Seen) => (message?.from === 'bot' ? readReceipt(message.text ?? '') : undefined);
  for (const one of chat.seen) {
    const receipt = read(one);
    if (receipt === undefined) continue;
    const { operation } = receipt;
    const before = found.get(operation)?.seen ?? [];
    before.push({ at: one.at, standing: receipt.standing });
    found.set(operation, { ...receipt, chat: chat.id, seen: before, taps: [] });
  }
  // The lowest message that shows an operation is its receipt.
  for (const { text = '' } of chat.messages()) {
    const receipt = readReceipt(text);
    if (receipt) standing.set(receipt.operation, receipt);
  }
  for (const tap of taps) {
    if (/Confirm|anyway/.test(tap.label)) found.get(tap.operation ?? '')?.taps.push(tap);
  }
  return [...found.values()].map((one) => ({ ...one, ...standing.get(one.operation) }));
}
