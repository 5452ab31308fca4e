import { createOperator } from '../../src/accounts/operator.ts';
import { payerNoteProblem } from '../../src/features/invoices/payer-note.ts';
import { parseTypedTrx, parseWholeNumber } from '../../src/input/numbers.ts';
import {
  containsKey,
  containsOperatorKey,
  isQuestion,
  parseOneTimeCode,
} from '../../src/input/secret-text.ts';
import { controlWordOf } from '../../src/input/words.ts';
import { toPrintable } from '../../src/rental-api/schemas.ts';
import { findAddressInput } from '../../src/rental-api/tron.ts';
import { LONG_TEXTS } from '../support/long-texts.ts';
import { say } from '../support/script.ts';
import { table } from './table.ts';

const LENGTHS = [1_024, 4_096];
const REPETITIONS = 50;
const operator = createOperator({
  operatorKey: 'demo-operator-key',
  rental: { profile: () => Promise.reject(new Error('not used')) },
});

/** Everything that reads a message's text. A message is read by some of these functions. */
function readText(text: string): void {
  containsOperatorKey(operator, text);
  for (const read of [containsKey, isQuestion, parseOneTimeCode, controlWordOf, findAddressInput]) read(text);
  for (const read of [parseWholeNumber, parseTypedTrx]) read(text);
  payerNoteProblem(toPrintable(text, 101));
}

/** Returns the CPU time of one reading, in milliseconds. */
function cpuMs(text: string): number {
  for (let count = 0; count < REPETITIONS; count++) readText(text);
  const begun = process.cpuUsage();
  for (let count = 0; count < REPETITIONS; count++) readText(text);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000 / REPETITIONS;
}

/** Prints the CPU time in milliseconds that all readers of a message need for texts that are slow to search. */
const rows = Object.entries(LONG_TEXTS).map(([what, part]) => [
  what,
  ...LENGTHS.map((length) => cpuMs(part.repeat(length).slice(0, length)).toFixed(2)),
]);
say(table(['ms of CPU', ...LENGTHS.map((length) => `${length} characters`)], rows));
