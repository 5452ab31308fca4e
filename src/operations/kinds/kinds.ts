import { z } from 'zod';
import type { RentalEvent } from '../../rental-api/webhook.ts';
import { activation } from './activation.ts';
import { bandwidth } from './bandwidth.ts';
import { energy } from './energy.ts';
import { invoice } from './invoice.ts';
import type { OperationKind, OperationRequest, OrderReport } from './kind.ts';
import { smartMode } from './smart-mode.ts';
import { withdrawal } from './withdrawal.ts';

/** All kinds of operations. To add one, add its file and a line here. */
export const KINDS: readonly OperationKind[] = [
  energy,
  bandwidth,
  activation,
  smartMode,
  withdrawal,
  invoice,
];

export interface Kinds {
  /** All kinds, in the order of the list. */
  readonly all: readonly OperationKind[];
  /** Schema of a stored request of any kind. */
  readonly request: z.ZodType<OperationRequest>;
  /** Returns the kind of a request. Throws if it is unknown. */
  of(request: OperationRequest): OperationKind;
  /** Parses an event as an order report of any kind. Returns `undefined` for other events. */
  report(event: RentalEvent): OrderReport | undefined;
}

export function createKinds(list: readonly OperationKind[]): Kinds {
  const byName = new Map(list.map((kind) => [kind.name, kind]));
  const [first, ...others] = list.map((kind) => kind.request);
  if (first === undefined) throw new RangeError('at least one kind of operation is needed');
  return {
    all: list,
    request: z.discriminatedUnion('kind', [first, ...others]),
    of({ kind: name }) {
      const kind = byName.get(name);
      if (kind === undefined) throw new RangeError(`unknown kind of operation: ${name}`);
      return kind;
    },
    report(event) {
      for (const kind of list) {
        const report = kind.report?.(event);
        if (report) return report;
      }
      return undefined;
    },
  };
}
