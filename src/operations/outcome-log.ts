import type { Log } from '../platform/log.ts';
import { type ConfirmedOperation, type DoneOperation, isConfirmed, type Operation } from './operation.ts';

/** Logs a stored change of an operation if it is an outcome. `before` is missing if the record was lost. */
type LogOutcome = (before: Operation | undefined, after: Operation) => void;

/**
 * Creates the function that logs the outcome of each confirmed operation in one line. The process that stores an outcome
 * logs it. If that process is killed right after its write, the line is missing.
 */
export function createOutcomeLog({ log, now }: { log: Log; now: () => number }): LogOutcome {
  function fieldsOf({ id, user, account, request, claimedAt }: ConfirmedOperation) {
    return { operation: id, user, account, kind: request.kind, ms: now() - claimedAt };
  }

  function logFailure(operation: DoneOperation): void {
    const { order, price } = operation.result;
    log.warn({ ...fieldsOf(operation), order, price }, 'the order of an operation has failed at the service');
  }

  function logState(operation: ConfirmedOperation): void {
    const about = fieldsOf(operation);
    if (operation.state === 'done') {
      const { order, price, status } = operation.result;
      if (status === 'failed') logFailure(operation);
      else log.info({ ...about, order, price }, 'an operation went through');
    } else if (operation.state === 'refused') {
      const { reason, code } = operation.refusal;
      log.info({ ...about, reason, code }, 'an operation was refused; nothing was charged');
    } else if (operation.state === 'unknown')
      log.warn(about, 'the outcome of an operation is unknown; it is being searched for');
    else if (operation.state === 'likely')
      log.warn(about, 'an operation has probably gone through: the balance fell by its price');
    else if (operation.state === 'closed')
      log.info(about, 'a user has closed an operation with an unknown outcome');
  }

  return (before, after) => {
    if (!isConfirmed(after)) return;
    if (before?.state !== after.state) {
      logState(after);
      return;
    }
    if (hasFailed(after) && !hasFailed(before)) logFailure(after);
    if (isSearchOver(after) && !isSearchOver(before)) {
      const advice = 'If you know it from another source, decide it in Admin → Operations.';
      log.error({ ...fieldsOf(after), advice }, 'the outcome of an operation was not found');
    }
  };
}

function hasFailed(operation: Operation): operation is DoneOperation {
  return operation.state === 'done' && operation.result.status === 'failed';
}

function isSearchOver(operation: Operation): boolean {
  return operation.state === 'unknown' && operation.search?.over === true;
}
