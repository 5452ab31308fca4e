import { expect, test, vi } from 'vitest';
import { createNotifyHolders, createNotifyWithdrawal } from '../../src/notifications/notify-holders.ts';
import type { Outbox } from '../../src/notifications/outbox.ts';
import { createKinds, KINDS } from '../../src/operations/kinds/kinds.ts';
import { operationIn } from '../operations/cards.ts';
import { USER, WITHDRAWAL } from '../operations/operations-setup.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';

const OTHER = USER + 1;
const THIRD = USER + 2;

/** Opens the notifications for account holders, with an outbox that a test controls. */
function openNews(holders = [USER, OTHER, THIRD]) {
  const add = vi.fn<Outbox['add']>(async () => {});
  const find = vi.fn(async (_account: number) => holders);
  const notifyHolders = createNotifyHolders({ links: { holders: find }, outbox: { add } });
  return { tell: createNotifyWithdrawal({ kinds: createKinds(KINDS), notifyHolders }), add, find };
}

const withdrawn = operationIn('done', { request: WITHDRAWAL });

test('notifies the other holders of the amount and the address', async () => {
  const { tell, add, find } = openNews();
  await tell(withdrawn);
  expect(find).toHaveBeenCalledWith(ACCOUNT);
  expect(add.mock.calls.map(([notice]) => notice)).toEqual(
    [OTHER, THIRD].map((chat) => ({
      ...{ kind: 'holder-withdrawal', id: withdrawn.id, chat, account: ACCOUNT },
      data: { address: WITHDRAWAL.address, trx: WITHDRAWAL.trx },
    })),
  );
});

test('notifies no holder if there is no other one', async () => {
  const { tell, add } = openNews([USER]);
  await tell(withdrawn);
  expect(add).not.toHaveBeenCalled();
});

test('rejects if one notification could not be stored, and can be repeated', async () => {
  const { tell, add } = openNews();
  add.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(tell(withdrawn)).rejects.toThrow('the storage is away');
  await tell(withdrawn);
  expect(new Set(add.mock.calls.map(([{ chat, id }]) => `${chat}/${id}`)).size).toBe(2);
});
