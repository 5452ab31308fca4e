import { readFileSync } from 'node:fs';
import { HOLDER } from '../support/world.ts';
import type { Scenario } from './scenarios.ts';
import type { SimulatedWorld } from './world.ts';

/** Result of the checks after a schedule. */
export interface Verdict {
  /** The service carried out a confirmed operation more than once. */
  isDoubled: boolean;
  /** The user wasn't told of the outcome, or of a wrong one. */
  isUntold: boolean;
  problems: string[];
}

interface OperationRecord {
  id: string;
  state: string;
  card?: number;
  revision: number;
  notified: number;
}

/** First words of a card by the state of its operation. Each scenario has its own for `done`. */
const HEADLINES: Record<string, string> = {
  refused: 'Nothing was charged',
  unknown: "isn't known yet",
  likely: 'Most likely',
  void: 'may already have been used',
};
/** A work that is due for longer than this after everything was calm is due for ever. */
const OVERDUE_MS = 5 * 60_000;
/** Copies of one message in a chat: a lost answer of Telegram may repeat it once. */
const MOST_COPIES = 2;

/** The transitions of the state diagram in docs/architecture.md, as `claimed sent`. */
export function allowedTransitions(): ReadonlySet<string> {
  const text = readFileSync('docs/architecture.md', 'utf8');
  return new Set([...text.matchAll(/^ {2}(\[\*\]|\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`));
}

export async function operationsOf(world: SimulatedWorld): Promise<OperationRecord[]> {
  const keys = await world.storage.keys('operation:');
  const texts = await Promise.all(keys.map((key) => world.storage.get(key)));
  return texts.flatMap((text) =>
    text ? [JSON.parse(text.slice(text.indexOf('{'))) as OperationRecord] : [],
  );
}

/** Compares the ledger of the service, the records and the chats. */
export async function check(world: SimulatedWorld, scenario: Scenario): Promise<Verdict> {
  const problems: string[] = [];
  const executed = await scenario.executed(world);
  const isDoubled = executed > 1;
  if (isDoubled) problems.push(`the service carried it out ${executed} times`);

  let isUntold = false;
  const untold = (problem: string) => {
    isUntold = true;
    problems.push(problem);
  };
  const shown = await world.person(HOLDER).messages();
  for (const { id, state, card, revision, notified } of await operationsOf(world)) {
    if (state === 'draft' || state === 'claimed' || state === 'sent') {
      if (executed > 0 || state !== 'draft') untold(`${id} stayed ${state}`);
      continue;
    }
    if (executed > 0 && state === 'refused' && !scenario.isSafeToRepeat)
      untold(`${id} is refused although the service carried it out`);
    if (executed === 0 && state === 'done') untold(`${id} is done although the service carried out nothing`);
    if (notified < revision) untold(`${id} is ${state}, and its user wasn't told`);
    const words = state === 'done' ? scenario.done : HEADLINES[state];
    const says = shown.filter(
      ({ message_id, from }) => from === 'bot' && (card === undefined || message_id === card),
    );
    if (words && !says.some(({ text, caption }) => (text ?? caption ?? '').includes(words)))
      untold(`${id} is ${state}, and its card doesn't say “${words}”`);
  }

  const sent = new Map<string, number>();
  for (const { method, params } of await world.calls()) {
    if (!/^send/.test(method) || params.chat_id === undefined) continue;
    if (Number(params.chat_id) !== HOLDER) problems.push(`${method} to another chat, ${params.chat_id}`);
    const message = `${params.chat_id} ${params.text ?? params.caption ?? ''}`;
    sent.set(message, (sent.get(message) ?? 0) + 1);
  }
  for (const [message, copies] of sent)
    if (copies > MOST_COPIES) problems.push(`sent ${copies} times: ${message.slice(0, 80)}`);

  for (const index of ['operations:dueIndex', 'outbox:money', 'outbox:other', 'events:due']) {
    const overdueMs = (await world.storage.index.overdueMs(index)) ?? 0;
    if (overdueMs > OVERDUE_MS) problems.push(`${index} has been due for ${overdueMs} ms`);
  }
  const allowed = allowedTransitions();
  for (const step of world.transitions)
    if (!allowed.has(step)) problems.push(`a state changed from ${step.replace(' ', ' to ')}`);
  return { isDoubled, isUntold, problems };
}
