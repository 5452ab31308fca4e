import { type Assaulted, mb } from './assault.ts';

const MAX_MEMORY = 200 * 1024 * 1024;
/** Maximum memory of a process that receives thousands of bodies a second, in bytes. Garbage adds up. */
const MAX_FORGED = 300 * 1024 * 1024;
/** Maximum time until an incomplete request is closed on a busy machine, in milliseconds. */
const CUT_WITHIN_MS = 10_000;
/** Maximum time of a genuine delivery during incomplete ones on a busy machine, in milliseconds. */
const TAKEN_WITHIN_MS = 2_000;
const EXPECTED = [200, 404, 413, 429];

/** Returns a line for each violated expectation. */
export function faultsOf(assaulted: Assaulted): string[] {
  const { answers, changed, unhandled, untold, others, fell, mostForged, halves } = assaulted;
  const faults: string[] = [];
  for (const one of answers) {
    const kinds = Object.entries(one.kinds);
    const refusals = kinds.filter(([, { status }]) => status === 404);
    if (refusals.length > 1)
      faults.push(`refusals differ: ${JSON.stringify(refusals.map(([kind]) => kind))}`);
    for (const [kind, { status }] of kinds) {
      if (!EXPECTED.includes(status)) faults.push(`unexpected response: ${JSON.stringify(kind)}`);
      if (!kind.endsWith('\n\n')) faults.push(`response with a body: ${JSON.stringify(kind)}`);
    }
    for (const [name, counts] of Object.entries(one.statuses)) {
      const isTaken = name.startsWith('signed') || name === 'what came already';
      if (!isTaken && counts[200]) faults.push(`${name}: ${counts[200]} were accepted`);
    }
  }
  if (changed) faults.push('the forgeries changed the chats');
  if (others > 0) faults.push(`${others} messages are about nothing that happened`);
  if (untold > 0) faults.push(`${untold} users were not notified of a real event`);
  if (unhandled > 0) faults.push(`${unhandled} records were never handled`);
  if (fell) faults.push(fell);
  for (const { most, lastMs, worst } of halves) {
    if (most > MAX_MEMORY) faults.push(`${mb(most)} MB of memory for half-sent bodies`);
    if (lastMs > CUT_WITHIN_MS)
      faults.push(`a connection with a half-sent body stayed open for ${Math.round(lastMs)} ms`);
    if (worst > TAKEN_WITHIN_MS)
      faults.push(`a genuine delivery took ${Math.round(worst)} ms during half-sent bodies`);
  }
  if (mostForged > MAX_FORGED) faults.push(`${mb(mostForged)} MB of memory`);
  return faults;
}
