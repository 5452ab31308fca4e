import type { Chat, ChatMessage, Seen } from './chat.ts';
import { clock, type Health } from './health.ts';
import type { Journal } from './journal.ts';
import {
  CONFIRMING,
  NEVER_BEGUN,
  type Receipt,
  readReceipt,
  type Tap,
  UNCHARGED,
  UNREPORTED,
} from './person.ts';
import type { SandboxProcess } from './sandbox-process.ts';

export type FindingKind = 'doubled' | 'unreported' | 'silent' | 'late';

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

interface Evidence {
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
  reportedWithinMs: number;
}

const PROMISED_MS = 20_000;

/** An operation as its chat showed it. */
interface Shown extends Receipt {
  chat: number;
  seen: { at: number; state: Receipt['state'] }[];
  /** Taps that confirmed the operation. */
  taps: Tap[];
}

/** Compares what users confirmed, what the service executed and what the chats show. */
export function judge({ chats, taps, journal, executed, health }: Evidence): Verdict {
  const operations = chats.flatMap((chat) => operationsIn(chat, taps));
  const confirmed = operations.filter((one) => one.taps.length > 0);
  const findings: Finding[] = [];
  let reportedWithinMs = 0;

  for (const { purchase, ...bought } of purchases()) {
    const { requests, executions, all } = bought;
    const asked = all.filter((one) => one.taps.length > 0);
    const about = { chat: all[0]?.chat ?? 0, at: requests[0]?.at ?? 0, purchase };
    const numbers = all.map(({ operation, state }) => `${operation} (${state})`).join(', ') || 'unknown';
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
    if (asked.some(({ state }) => state === 'going'))
      add('unreported', 'its receipt remains in progress forever');
    else if (executions > 0 && all.every(({ state }) => UNCHARGED.includes(state))) {
      add('unreported', 'the service executed it, but no receipt shows that');
    } else if (executions === 0 && all.some(({ state }) => state === 'done')) {
      add('unreported', 'the receipt shows a purchase, but the service executed nothing');
    }
  }

  for (const operation of confirmed) {
    const ms = toldWithin(operation);
    reportedWithinMs = Math.max(reportedWithinMs, ms);
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
    const purchase = readReceipt(tap)?.purchase;
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
  return { findings, confirmations: confirmed.length, executions, reportedWithinMs };

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
    const outcome = seen.find(({ at, state }) => at > first && !UNREPORTED.includes(state));
    if (outcome === undefined || NEVER_BEGUN.includes(outcome.state)) return 0;
    const told = outcome.at;
    const well = health.wellSince(told);
    if (well === undefined) return 0;
    const requests = journal.money.filter((one) => one.purchase === purchase && one.at <= told);
    const begun = [
      ...seen.filter(({ state }) => state === 'going').map(({ at }) => at),
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
  const receipts = new Map<string, Receipt>();
  const read = ({ message }: Seen) => (message?.from === 'bot' ? readReceipt(message) : undefined);
  for (const one of chat.seen) {
    const receipt = read(one);
    if (receipt === undefined) continue;
    const { operation } = receipt;
    const before = found.get(operation)?.seen ?? [];
    before.push({ at: one.at, state: receipt.state });
    found.set(operation, { ...receipt, chat: chat.id, seen: before, taps: [] });
  }
  // The lowest message that shows an operation is its receipt.
  for (const message of chat.messages()) {
    const receipt = readReceipt(message);
    if (receipt) receipts.set(receipt.operation, receipt);
  }
  for (const tap of taps) {
    if (CONFIRMING.includes(tap.label)) found.get(tap.operation ?? '')?.taps.push(tap);
  }
  return [...found.values()].map((one) => ({ ...one, ...receipts.get(one.operation) }));
}

/** Apologies, which may arrive after the user's next action. */
const APOLOGY = /went wrong|don't know yet if|Too fast|withdrawals are paused/;
const APOLOGY_WITHIN_MS = 120_000;

/** Returns whether the user could see a result of a tap: a toast, a changed card or a message. */
function isAnswered(tap: Tap, seen: readonly Seen[]): boolean {
  // A settled card may change later without a tap. Then only a text counts as the response.
  const { isLive } = tap;
  return seen.some((one) => {
    if (one.at < tap.at) return false;
    if (one.kind === 'toast') return one.callback === tap.callback && one.text !== '';
    if (one.kind === 'delete') return one.message_id === tap.message;
    if (one.message?.from !== 'bot') return false;
    const text = one.message.text ?? '';
    if (isLive && one.message_id === tap.message && one.kind === 'edit') return true;
    const shown = readReceipt(one.message)?.operation;
    if (isLive && shown !== undefined && shown === tap.operation) return true;
    if (APOLOGY.test(text)) return one.at - tap.at < APOLOGY_WITHIN_MS;
    return one.at <= tap.until && !isOfAnother(tap, one.message);
  });
}

/** Returns whether a message is about another operation. Such a message doesn't count as a response. */
function isOfAnother(tap: Tap, { operation }: ChatMessage): boolean {
  return operation !== undefined && tap.operation !== undefined && operation !== tap.operation;
}

const BEFORE_MS = 5_000;
const AFTER_MS = 60_000;
const LINES = 40;

interface Call {
  method: string;
  status: number;
  description?: string;
  params: { chat_id?: number | string; callback_query_id?: string; text?: string };
}

/** Describes what happened around a finding, for debugging. */
export async function detailsOf(
  finding: Finding,
  around: { chat: Chat | undefined; journal: Journal; health: Health; sandbox: SandboxProcess },
): Promise<string> {
  const { chat, journal, health, sandbox } = around;
  const [from, to] = [finding.at - BEFORE_MS, finding.at + AFTER_MS];
  const seen = (chat?.seen ?? []).filter(({ at }) => at > from && at < to).slice(0, LINES);
  const requests = journal.money.filter(({ purchase }) => purchase === finding.purchase);
  const calls = (await sandbox.control<Call[]>('GET', '/sandbox/telegram/calls')).filter(
    ({ params, status }) =>
      (finding.callback !== undefined && params.callback_query_id === finding.callback) ||
      (status !== 200 && Number(params.chat_id) === finding.chat),
  );
  return [
    `${finding.kind.toUpperCase()} in chat ${finding.chat} at ${clock(finding.at)}: ${finding.what}`,
    ...section('the chat', [
      ...seen.map(({ at, kind, message_id, message, callback, text }) =>
        kind === 'toast'
          ? `${clock(at)} toast for ${callback}: “${text}”`
          : `${clock(at)} ${kind} ${message_id} ${message?.from ?? ''}: ${inOneLine(message?.text)}`,
      ),
    ]),
    ...section('requests that move money', [
      ...requests.map(
        ({ at, over, status, purchase }) =>
          `${clock(at)} to ${over === undefined ? 'now' : clock(over)} ${purchase}: ${status}`,
      ),
    ]),
    ...section('calls to Telegram that answered the tap, or failed in this chat', [
      ...calls
        .slice(-LINES)
        .map(
          (call) => `${call.method} ${call.status} ${call.description ?? ''} ${inOneLine(call.params.text)}`,
        ),
    ]),
    ...section('disturbances at that time', health.between(from, to)),
  ].join('\n');
}

function section(title: string, lines: string[]): string[] {
  return [`  ${title}:${lines.length === 0 ? ' nothing' : ''}`, ...lines.map((line) => `    ${line}`)];
}

function inOneLine(text = ''): string {
  const line = text.replaceAll('\n', ' / ');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

interface Order {
  kind: 'energy' | 'bandwidth';
  address: string;
  energy_amount?: number;
  bandwidth_amount?: number;
  duration_hours: number;
}

/** Returns the requests that the service received, and how often it executed each purchase. */
export async function gather(
  sandbox: SandboxProcess,
): Promise<{ journal: Journal; executed: Map<string, number> }> {
  const journal = await sandbox.control<Journal>('GET', '/chaos/journal');
  const { orders } = await sandbox.control<{ orders: Order[] }>('GET', '/sandbox/rental/state');
  const executed = new Map<string, number>();
  for (const { kind, address, energy_amount, bandwidth_amount, duration_hours } of orders) {
    const purchase = `${kind}/${energy_amount ?? bandwidth_amount}/${duration_hours}/${address}`;
    executed.set(purchase, (executed.get(purchase) ?? 0) + 1);
  }
  // The service activates an address at most once, however often that is requested.
  for (const { purchase } of journal.money.filter((one) => one.purchase.startsWith('activation/'))) {
    const path = `/sandbox/rental/chain/addresses/${purchase.slice('activation/'.length)}`;
    const { active } = await sandbox.control<{ active: boolean }>('GET', path);
    if (active) executed.set(purchase, 1);
  }
  return { journal, executed };
}
