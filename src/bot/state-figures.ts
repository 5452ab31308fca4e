import { orTimeout } from '../platform/retry.ts';
import type { FeatureDeps } from './features/feature-deps.ts';
import type { Queue } from './state-sources.ts';

/** Maximum time that a screen waits for a figure, in milliseconds. */
const WITHIN_MS = 2_000;

/** Value that was read, or `undefined` if that failed. Zero and none are values, too. */
export type Figure<Value> = { is: Value } | undefined;

type Deps = Pick<FeatureDeps, 'state' | 'paymentsGate' | 'maintenance' | 'backlog' | 'operations'>;

export type StateFigures = Awaited<ReturnType<typeof readFigures>>;

/** Reads all figures at once. One that fails neither delays nor hides the others. */
export async function readFigures({ state, paymentsGate, maintenance, backlog, operations }: Deps) {
  const pinging = performance.now();
  const ping = await figure(state.storage.ping());
  const pingMs = ping && { is: Math.max(1, Math.round(performance.now() - pinging)) };
  const [durability, fsync, replicas, closed, maintained, underWay, waiting, due, invoices, jobs] =
    await Promise.all([
      figure(state.storage.durability()),
      figure(state.storage.fsyncPolicy()),
      figure(state.storage.replicas()),
      figure(paymentsGate.closedNow()),
      figure(maintenance.find()),
      figure(operations.underWay()),
      figure(backlog()),
      figure(state.overdue.operations()),
      figure(state.overdue.invoices()),
      figure(state.overdue.jobs()),
    ]);
  const overdue = { operations: due, invoices, jobs } satisfies Record<Queue, unknown>;
  return { pingMs, durability, fsync, replicas, closed, maintained, underWay, waiting, overdue };
}

/** Returns `undefined` if reading fails or takes too long. */
export async function figure<Value>(reading: Promise<Value>): Promise<Figure<Value>> {
  const read = reading.then(
    (is) => ({ is }),
    () => undefined,
  );
  return orTimeout(read, WITHIN_MS);
}
