import { readFileSync } from 'node:fs';
import { overdueMs } from '../../src/platform/due-queue.ts';
import { prefixOf } from '../../src/platform/records.ts';
import { allStoredData } from '../../src/stored-data.ts';
import { beginningOf, fixedPart } from '../support/locales.ts';
import { storedKeys } from '../support/stored-keys.ts';
import type { Crossing, Fault } from './faults.ts';
import type { Scenario } from './scenarios.ts';
import type { SimulatedWorld, TelegramCall } from './world.ts';

/** Result of the checks after a schedule. */
export interface Verdict {
  /** The service executed a confirmed operation more than once. */
  isDoubled: boolean;
  /** A user wasn't notified of the outcome, or of a wrong one. */
  isUntold: boolean;
  /** All problems. */
  problems: string[];
  /** Problems other than a doubled operation or a user without the right outcome. */
  other: string[];
}

interface OperationRecord {
  id: string;
  user: number;
  state: string;
  request: { kind: string };
  receipt: { card?: number; revision: number; notified: number };
  refusal?: { reason: string };
}

/** First words of a card by the state of its operation. Each scenario has its own for `done`. */
const HEADLINES: Record<string, string | undefined> = {
  refused: fixedPart('energy-refused'),
  unknown: fixedPart('operation-uncertain'),
  likely: 'Most likely',
  void: beginningOf('operation-void'),
};
/** Work that is overdue by more than this at the end of a schedule is never done. */
const OVERDUE_MS = 5 * 60_000;
/** Due queues that aren't checked, because their times aren't when work is due. */
const UNCHECKED_QUEUES = new Set(['operations:quarantined', 'invoice-polled-accounts:priority']);
const DUE_QUEUES = allStoredData().filter((data) => 'ref' in data && !UNCHECKED_QUEUES.has(data.keys));
/** Change of a state that only the reply to a process that was stopped makes: the reconciler decided in the meantime. */
const AFTER_STOP = 'refused done';
/** Maximum copies of one message in a chat. If Telegram's answer gets lost, the message is sent once more. */
const MAX_COPIES = 2;
/**
 * Messages that are sent at most {@link MAX_COPIES} times however often processes crash, until their user acts: an
 * invoice's card and its reply, the follow-up of a receipt, and the notice of an erasure.
 */
const LIMITED = /<b>(Pay \d|Don't pay yet|Paid|Delivered:|Energy (is there|delivered)|Erased:)/;

/** The transitions of the state diagram in docs/architecture.md, as `claimed sent`. */
export function allowedTransitions(): ReadonlySet<string> {
  const text = readFileSync('docs/architecture.md', 'utf8');
  return new Set([...text.matchAll(/^ {2}(\[\*\]|\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`));
}

export async function operationsOf(world: SimulatedWorld): Promise<OperationRecord[]> {
  const keys = await storedKeys(world.storage, 'operation:');
  const texts = await Promise.all(keys.map((key) => world.storage.get(key)));
  return texts.flatMap((text) =>
    text ? [JSON.parse(text.slice(text.indexOf('{'))) as OperationRecord] : [],
  );
}

const ENDED = ['cancelled', 'replaced', 'expired', 'void', 'done', 'refused', 'closed'];
const UNCERTAIN = ['claimed', 'sent', 'unknown', 'likely'];
const nameOf = ({ user, id }: OperationRecord) => `${user}/${id}`;

/** Operations and executions from before counting began, which the checks leave out. */
export interface Baseline {
  /** Operations that had ended, as `user/id`. */
  ended: ReadonlySet<string>;
  executed: number;
}

/**
 * Returns what the checks leave out. If an operation's outcome isn't known yet, the earlier executions count, because one
 * of them may be of that operation.
 */
export async function takeBaseline(world: SimulatedWorld, scenario: Scenario): Promise<Baseline> {
  const operations = await operationsOf(world);
  const isUncertain = operations.some(({ state }) => UNCERTAIN.includes(state));
  return {
    ended: new Set(operations.filter(({ state }) => ENDED.includes(state)).map(nameOf)),
    executed: isUncertain ? 0 : ((await scenario.executed?.(world)) ?? 0),
  };
}

/** The end of a schedule. */
export interface Ending {
  before: Baseline;
  injected: { fault: Fault; crossing: Crossing } | undefined;
  /** Error that stopped the actions of the scenario. */
  failure: unknown;
  /** Messages that the bot sent during the actions. */
  sent: readonly TelegramCall[];
}

/** Returns the indexes of all due queues. A poll schedule has one for each priority. */
async function dueIndexes({ storage }: SimulatedWorld): Promise<string[]> {
  const indexes = await Promise.all(
    DUE_QUEUES.map((data) => ('priorities' in data ? storedKeys(storage, prefixOf(data)) : [data.keys])),
  );
  return [...indexes.flat(), 'address-announcements-due', 'address-announcements-ending', 'stored-updates'];
}

/** Compares the ledger of the service, the records and the chats. */
export async function check(
  world: SimulatedWorld,
  scenario: Scenario,
  { before, injected, failure, sent }: Ending,
): Promise<Verdict> {
  const all = await scenario.executed?.(world);
  const executed = all === undefined ? undefined : all - before.executed;
  const doubled = executed !== undefined && executed > 1 ? [`the service executed it ${executed} times`] : [];
  const untold = [
    ...(executed === undefined ? [] : await wrongCards(world, scenario, { before, executed })),
    ...((await scenario.check?.(world)) ?? []),
    ...(failure !== undefined && (injected === undefined || scenario.mustFinish)
      ? [`not finished: ${failure}`]
      : []),
  ];

  const other: string[] = [];
  // Without a fault no message is sent twice. A repeated delivery changes nothing, so it repeats no message either.
  const most = injected === undefined || injected.crossing.kind === 'delivery' ? 1 : MAX_COPIES;
  const copiesOf = new Map<string, number>();
  for (const { method, params } of sent) {
    const chat = Number(params.chat_id);
    if (!scenario.chats.includes(chat)) other.push(`${method} to another chat, ${chat}`);
    const message = `${chat} ${params.text ?? params.caption ?? ''}`;
    copiesOf.set(message, (copiesOf.get(message) ?? 0) + 1);
  }
  const isLimited = (message: string) => injected?.fault.kind !== 'crash-each' || LIMITED.test(message);
  for (const [message, copies] of copiesOf)
    if (copies > most && isLimited(message)) other.push(`sent ${copies} times: ${message.slice(0, 80)}`);

  for (const index of await dueIndexes(world)) {
    const ms = (await overdueMs(world.storage, index)) ?? 0;
    if (ms > OVERDUE_MS) other.push(`${index} has been due for ${ms} ms`);
  }
  for (const key of await world.unreadableRecords()) other.push(`the signed record ${key} can't be read`);
  const { audit } = await world.rental();
  for (const fault of audit.faults) other.push(`money isn't conserved: ${fault}`);
  const allowed = allowedTransitions();
  for (const step of world.transitions)
    if (!allowed.has(step) || (step === AFTER_STOP && injected?.fault.kind !== 'stop'))
      other.push(`a state changed from ${step.replace(' ', ' to ')}`);
  return {
    isDoubled: doubled.length > 0,
    isUntold: untold.length > 0,
    problems: [...doubled, ...untold, ...other],
    other,
  };
}

/** Returns the operations whose card, record and execution by the service don't agree. */
async function wrongCards(
  world: SimulatedWorld,
  scenario: Scenario,
  { before, executed }: { before: Baseline; executed: number },
): Promise<string[]> {
  const wrong: string[] = [];
  for (const operation of await operationsOf(world)) {
    if (before.ended.has(nameOf(operation))) continue;
    const { user, state, refusal } = operation;
    const { card, revision, notified } = operation.receipt;
    const id = `${operation.request.kind} ${operation.id}`;
    if (state === 'draft' || state === 'awaiting' || state === 'claimed' || state === 'sent') {
      if (executed > 0 || state === 'claimed' || state === 'sent') wrong.push(`${id} stayed ${state}`);
      continue;
    }
    // The service may execute the repetition of a request whose one-time code it refused.
    const isRefusedCode = refusal?.reason === 'code';
    if (executed > 0 && state === 'refused' && !isRefusedCode && !scenario.isSafeToRepeat)
      wrong.push(`${id} is refused although the service executed it`);
    if (executed === 0 && state === 'done') wrong.push(`${id} is done although the service executed nothing`);
    if (notified < revision) wrong.push(`${id} is ${state}, and its user wasn't told`);
    const words = { ...HEADLINES, done: scenario.done, refused: scenario.refused ?? HEADLINES.refused }[
      state
    ];
    const shown = (await world.person(user).messages()).filter(
      ({ message_id, from }) => from === 'bot' && (card === undefined || message_id === card),
    );
    // The scenario may last longer than the rented time of an order whose delivery the bot can't see.
    const later = { done: beginningOf('order-over'), unknown: fixedPart('operation-unlikely') };
    const accepted = words && [words, ...(state in later ? [later[state as keyof typeof later]] : [])];
    if (
      accepted &&
      !shown.some(({ text = '', caption = text }) => accepted.some((one) => caption.includes(one)))
    )
      wrong.push(`${id} is ${state}, and its card doesn't say “${words}”`);
  }
  return wrong;
}
