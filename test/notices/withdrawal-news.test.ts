import { expect, test, vi } from 'vitest';
import type { Outbox } from '../../src/notices/outbox/outbox.ts';
import { createTellHolders } from '../../src/notices/tell-holders.ts';
import { createWithdrawalNews } from '../../src/notices/withdrawal-news.ts';
import { createKinds, KINDS } from '../../src/operations/kinds/kinds.ts';
import { operationIn } from '../operations/cards.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { USER, WITHDRAWAL } from '../operations/room.ts';

const OTHER = USER + 1;
const THIRD = USER + 2;

/** What tells those who hold an account, with an outbox that a test holds. */
function openNews(holders = [USER, OTHER, THIRD]) {
  const add = vi.fn<Outbox['add']>(async () => {});
  const find = vi.fn(async (_account: number) => holders);
  const tellHolders = createTellHolders({ links: { holders: find }, outbox: { add } });
  return { tell: createWithdrawalNews({ kinds: createKinds(KINDS), tellHolders }), add, find };
}

const withdrawn = operationIn('done', { request: WITHDRAWAL });

test('everybody else who holds the account is told what went and where to', async () => {
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

test('where nobody else holds it, nobody is told', async () => {
  const { tell, add } = openNews([USER]);
  await tell(withdrawn);
  expect(add).not.toHaveBeenCalled();
});

test('what could not be stored for one of them is heard of by who says it, and may be said again', async () => {
  const { tell, add } = openNews();
  add.mockRejectedValueOnce(new Error('the storage is away'));
  await expect(tell(withdrawn)).rejects.toThrow('the storage is away');
  await tell(withdrawn);
  expect(new Set(add.mock.calls.map(([{ chat, id }]) => `${chat}/${id}`)).size).toBe(2);
});
