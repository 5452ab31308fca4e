import { z } from 'zod';
import { energy, energyRequest } from './energy.ts';
import type { OperationKind } from './kind.ts';

/** Every kind of operation. A further one is its file, and a line in each of these. */
export const operationRequest = z.discriminatedUnion('kind', [energyRequest]);
export type OperationRequest = z.infer<typeof operationRequest>;

const KINDS: { [K in OperationRequest['kind']]: OperationKind<Extract<OperationRequest, { kind: K }>> } = {
  energy,
};

export function kindOf(request: OperationRequest): OperationKind<OperationRequest> {
  return KINDS[request.kind];
}
