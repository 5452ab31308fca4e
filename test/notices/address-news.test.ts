import { expect, test, vi } from 'vitest';
import { createAnnouncedAddresses } from '../../src/accounts/announced-addresses.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { createAddressNews } from '../../src/notices/address-news.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import type { Sender, Sent } from '../../src/telegram/sender.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { ACCOUNT, ADDRESS } from '../operations/rental-stand-in.ts';
import { USER } from '../operations/room.ts';
import { recordingLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { buttonsOf } from '../texts/telegram-limits.ts';

const OTHER = USER + 1;
const TEN_MINUTES = 10 * 60_000;

/** The news of announced addresses, with jobs and a sender that a test holds. */
async function openNews() {
  const clock = { now: 1_000_000 };
  const { log, lines } = recordingLog();
  const now = () => clock.now;
  const storage = createMemoryStorage({ now });
  const announced = createAnnouncedAddresses({ storage, records: signedRecords(storage), now });
  const send = vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: 1 }));
  const define = vi.fn<Jobs['define']>();
  const every = vi.fn<Jobs['every']>();
  const add = vi.fn<Jobs['add']>(async () => {});
  const accounts = new Map([
    [USER, ACCOUNT],
    [OTHER, ACCOUNT],
  ]);
  const news = createAddressNews({
    jobs: { define, add, every, start: async () => {}, stop: async () => {} },
    links: {
      holders: async () => [...accounts.keys()],
      find: async (user) => {
        const account = accounts.get(user);
        return account === undefined ? undefined : { account, language: 'en', tail: 'tail', linkedAt: 0 };
      },
    },
    announced,
    sender: { send },
    texts: createTexts(),
    log,
  });
  const made = await announced.draft({ user: USER, account: ACCOUNT, address: ADDRESS, trx: '5.00' });
  if (made === undefined) throw new Error('too many wait');
  await announced.keep(made);
  return {
    ...{ lines, clock, announced, news, made, send, add, define, accounts },
    look: async () => every.mock.calls[0]?.[2](),
    run: async () => {
      for (const [, data] of add.mock.calls.splice(0)) await define.mock.calls[0]?.[1](data);
    },
  };
}

test('everybody else who holds the account is told of the address, and can strike it out', async () => {
  const { news, made, run, send } = await openNews();
  await news.announced(made);
  await run();
  expect(send.mock.calls.map(([to]) => to)).toEqual([OTHER]);
  const [, view] = send.mock.calls[0] ?? [];
  expect(view?.html).toContain(`account ${ACCOUNT} to a new address`);
  expect(view?.html).toContain(ADDRESS);
  expect(Object.values(buttonsOf({ keyboard: [], ...view } as never))).toContain(
    `announced:strike:${made.id}`,
  );
});

test('once it counts its user is offered the card, one time', async () => {
  const { clock, made, look, run, send } = await openNews();
  await look();
  await run();
  expect(send).not.toHaveBeenCalled();
  clock.now += TEN_MINUTES;
  for (let times = 0; times < 2; times += 1) {
    await look();
    await run();
  }
  expect(send.mock.calls.map(([to]) => to)).toEqual([USER]);
  expect(Object.values(buttonsOf({ keyboard: [], ...send.mock.calls[0]?.[1] } as never))).toContain(
    `announced:card:${made.id}`,
  );
});

test('what was struck out between coming due and being told is not offered', async () => {
  const { clock, announced, made, look, run, send } = await openNews();
  clock.now += TEN_MINUTES;
  await look();
  await announced.strike(ACCOUNT, made.id);
  await run();
  expect(send).not.toHaveBeenCalled();
});

test('one that counts is not offered where another user’s of the same address was struck out', async () => {
  const { clock, announced, look, run, send } = await openNews();
  const other = await announced.draft({ user: OTHER, account: ACCOUNT, address: ADDRESS, trx: '1.00' });
  if (other) await announced.keep(other);
  clock.now += TEN_MINUTES;
  await announced.strike(ACCOUNT, other?.id ?? '');
  await look();
  await run();
  expect(send).not.toHaveBeenCalled();
});

test('each who holds the account has a job of their own, and so has each thing that is told', async () => {
  const { news, made, add, accounts } = await openNews();
  accounts.set(OTHER + 1, ACCOUNT);
  await news.announced(made);
  await news.struck(made);
  const ids = add.mock.calls.map(([, , options]) => options?.id);
  expect(new Set(ids).size).toBe(3);
});

test('they are told from when it counts, and for half an hour it is tried', async () => {
  const { news, made, run, send, define } = await openNews();
  await news.announced(made);
  await run();
  expect(send.mock.calls[0]?.[1].html).toContain('From 00:26 UTC they can confirm');
  expect(define.mock.calls[0]?.[2]).toEqual({ tries: 36 });
});

test('where the queue is away it is offered at the next look', async () => {
  const { clock, add, look, run, send } = await openNews();
  clock.now += TEN_MINUTES;
  add.mockRejectedValueOnce(new Error('away'));
  await expect(look()).rejects.toThrow('away');
  await look();
  add.mock.calls.shift();
  await run();
  expect(send).toHaveBeenCalledOnce();
});

test('who wanted it is told that another struck it out; who holds the account no more is told nothing', async () => {
  const { news, made, run, send, accounts } = await openNews();
  await news.struck(made);
  await run();
  expect(send.mock.calls[0]?.[0]).toBe(USER);
  expect(send.mock.calls[0]?.[1].html).toContain('Struck out');
  accounts.set(USER, ACCOUNT + 1);
  accounts.delete(OTHER);
  await news.struck(made);
  await news.announced(made);
  await run();
  expect(send).toHaveBeenCalledOnce();
});

test.each<Sent>([
  { kind: 'later', afterMs: 1_000 },
  { kind: 'failed', reason: 'ECONNREFUSED' },
])('who could not be told yet ($kind) is told again', async (sent) => {
  const { news, made, run, send } = await openNews();
  await news.announced(made);
  send.mockResolvedValueOnce(sent);
  await expect(run()).rejects.toThrow('could not be told yet');
});

test('whom the news may have reached is not told twice, and the log says so', async () => {
  const { news, made, run, send, lines } = await openNews();
  await news.announced(made);
  send.mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
  await run();
  expect(lines()).toMatchObject([{ level: 'warn', user: OTHER, reason: 'UND_ERR_SOCKET' }]);
});
