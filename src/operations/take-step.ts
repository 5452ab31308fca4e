import { randomUUID } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Outcome } from '../rental/outcome.ts';
import type { Attempts } from './attempts.ts';
import type { Result } from './kinds/kind.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';
import type { OperationStore, Stored } from './store.ts';

/** Its record was put back as it was before: what became of the first attempt is looked for. */
const REPEATED = {
  kind: 'unknown',
  reason: 'cut',
  message: 'an attempt was made before',
} satisfies Outcome<Result>;
const NOT_KEPT = {
  kind: 'not-sent',
  reason: 'offline',
  message: 'the step might be lost',
} satisfies Outcome<Result>;

/** The step from *claimed* to *sent*, and what keeps its request from leaving all the same. */
export interface Step {
  sent: Stored;
  obstacle: Outcome<Result> | undefined;
}

/** The step from *claimed* to *sent*, which is taken once. The attempt's mark tells two that take it at the same millisecond apart. */
export function createTakeStep(deps: {
  store: Pick<OperationStore, 'take'>;
  attempts: Attempts;
  kinds: Kinds;
  now: () => number;
  log: Log;
}) {
  const { store, attempts, kinds, now, log } = deps;

  function owed({ request }: Operation): Pick<Operation, 'untold'> {
    const { takesOut, followUp } = kinds.of(request);
    return takesOut || followUp ? { untold: true } : {};
  }

  return async (
    claimed: Stored,
    known: Pick<Operation, 'balanceBefore' | 'listedBefore' | 'reported'>,
  ): Promise<Step | undefined> => {
    const attempt = randomUUID();
    const step = await store.take(
      claimed,
      (present) =>
        present.state === 'claimed'
          ? { ...present, state: 'sent', sentAt: now(), attempt, ...known, ...owed(present) }
          : undefined,
      attempts.recordOf,
    );
    if (step === undefined) return undefined;
    const { taken: sent, added, isKept } = step;
    // What keeps the request from leaving after all: once its step can be lost or taken again, it must not.
    if (!attempts.begun(sent.operation, added)) return { sent, obstacle: REPEATED };
    if (!isKept)
      log.error({ operation: sent.operation.id }, 'nothing was sent, as its step could not be secured');
    return { sent, obstacle: isKept ? undefined : NOT_KEPT };
  };
}
