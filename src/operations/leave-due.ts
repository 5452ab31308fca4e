import type { DueIndex } from './due-index.ts';
import type { OperationRef } from './operation.ts';
import type { OperationStore } from './store.ts';

/**
 * Takes an operation whose user was told out of the due index. What came meanwhile, and could not be told, may have been
 * entered just before: it is seen in the record, and entered again.
 */
export async function leaveDue(
  { store, dueIndex }: { store: Pick<OperationStore, 'readable'>; dueIndex: DueIndex },
  ref: OperationRef,
): Promise<void> {
  await dueIndex.remove(ref);
  const present = await store.readable(ref);
  if (typeof present !== 'object') return;
  const { notified, revision } = present.operation;
  if (notified < revision) await dueIndex.putIn(ref, 0);
}
