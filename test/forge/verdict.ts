import { type Assaulted, mb } from './assault.ts';

const MOST_MEMORY = 200 * 1024 * 1024;
/** Who takes thousands of bodies a second leaves more to be collected. */
const MOST_FORGED = 300 * 1024 * 1024;
/** As long as a request may take, and a look at what is overdue, on a busy machine. */
const CUT_WITHIN_MS = 10_000;
/** Nobody keeps out what the service sends by sending nothing whole; on a busy machine. */
const TAKEN_WITHIN_MS = 2_000;
const EXPECTED = [200, 404, 413, 429];

/** What should not have been, each in a line. */
export function faultsOf(assaulted: Assaulted): string[] {
  const { answers, changed, unhandled, untold, others, fell, mostForged, halves } = assaulted;
  const faults: string[] = [];
  for (const one of answers) {
    const kinds = Object.entries(one.kinds);
    const refusals = kinds.filter(([, { status }]) => status === 404);
    if (refusals.length > 1)
      faults.push(`refusals differ: ${JSON.stringify(refusals.map(([kind]) => kind))}`);
    for (const [kind, { status }] of kinds) {
      if (!EXPECTED.includes(status)) faults.push(`an answer: ${JSON.stringify(kind)}`);
      if (!kind.endsWith('\n\n')) faults.push(`an answer with a body: ${JSON.stringify(kind)}`);
    }
    for (const [name, counts] of Object.entries(one.statuses)) {
      const isTaken = name.startsWith('signed') || name === 'what came already';
      if (!isTaken && counts[200]) faults.push(`${name}: ${counts[200]} were taken`);
    }
  }
  if (changed) faults.push('the chats show something else');
  if (others > 0) faults.push(`${others} messages are of nothing that happened`);
  if (untold > 0) faults.push(`${untold} were not told what happened`);
  if (unhandled > 0) faults.push(`${unhandled} records wait for ever`);
  if (fell) faults.push(fell);
  for (const { most, lastMs, worst } of halves) {
    if (most > MOST_MEMORY) faults.push(`${mb(most)} MB of memory for half-sent bodies`);
    if (lastMs > CUT_WITHIN_MS) faults.push(`a half-sent body was held for ${Math.round(lastMs)} ms`);
    if (worst > TAKEN_WITHIN_MS)
      faults.push(`a genuine delivery took ${Math.round(worst)} ms amid half-sent bodies`);
  }
  if (mostForged > MOST_FORGED) faults.push(`${mb(mostForged)} MB of memory`);
  return faults;
}
