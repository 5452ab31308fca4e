import { expect, test, vi } from 'vitest';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { createWithdrawalNews } from '../../src/notices/withdrawal-news.ts';
import { createKinds, KINDS } from '../../src/operations/kinds/kinds.ts';
import type { Sender, Sent } from '../../src/telegram/sender.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { operationIn } from '../operations/cards.ts';
import { ACCOUNT } from '../operations/rental-stand-in.ts';
import { USER, WITHDRAWAL } from '../operations/room.ts';
import { recordingLog } from '../support/log-lines.ts';

const OTHER = USER + 1;
const THIRD = USER + 2;

/** What tells those who hold an account, with a sender and jobs that a test holds; `run` has every job run. */
function openNews() {
  const send = vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: 1 }));
  const define = vi.fn<Jobs['define']>();
  const add = vi.fn<Jobs['add']>(async () => {});
  const { log, lines } = recordingLog();
  const accounts = new Map([
    [USER, ACCOUNT],
    [OTHER, ACCOUNT],
    [THIRD, ACCOUNT],
  ]);
  const tell = createWithdrawalNews({
    jobs: { define, add, every() {}, start: async () => {}, stop: async () => {} },
    links: {
      holders: async () => [...accounts.keys()],
      find: async (user) => {
        const account = accounts.get(user);
        return account === undefined ? undefined : { account, language: 'en', tail: 'tail', linkedAt: 0 };
      },
    },
    kinds: createKinds(KINDS),
    sender: { send },
    texts: createTexts(),
    log,
  });
  const run = async () => {
    for (const [, data] of add.mock.calls) await define.mock.calls[0]?.[1](data);
  };
  return { tell, run, send, add, accounts, lines };
}

const withdrawn = operationIn('done', { request: WITHDRAWAL });

test('everybody else who holds the account is told once, by a job of their own, what went and where to', async () => {
  const { tell, run, send, add } = openNews();
  await tell(withdrawn);
  expect(add.mock.calls.map(([, , options]) => options)).toEqual([
    { id: `${withdrawn.id}/${OTHER}` },
    { id: `${withdrawn.id}/${THIRD}` },
  ]);
  await run();
  expect(send.mock.calls.map(([holder]) => holder)).toEqual([OTHER, THIRD]);
  for (const part of [String(ACCOUNT), WITHDRAWAL.trx, WITHDRAWAL.address, 'replace the API key'])
    expect(send.mock.calls[0]?.[1].html).toContain(part);
});

test('who has linked another account meanwhile, or none, is told nothing', async () => {
  const { tell, run, send, accounts } = openNews();
  await tell(withdrawn);
  accounts.set(OTHER, ACCOUNT + 1);
  accounts.delete(THIRD);
  await run();
  expect(send).not.toHaveBeenCalled();
});

test.each<Sent>([
  { kind: 'later', afterMs: 1_000 },
  { kind: 'failed', reason: 'ECONNREFUSED' },
])('a holder who could not be told yet ($kind) is told again', async (sent) => {
  const { tell, run, send } = openNews();
  await tell(withdrawn);
  send.mockResolvedValueOnce(sent);
  await expect(run()).rejects.toThrow('could not be told yet');
});

test('a holder whom the news may have reached is not told twice, and the log says so', async () => {
  const { tell, run, send, lines } = openNews();
  await tell(withdrawn);
  send.mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
  await run();
  expect(lines()).toMatchObject([{ level: 'warn', user: OTHER, reason: 'UND_ERR_SOCKET' }]);
});

test.each<Sent>([{ kind: 'blocked' }, { kind: 'gone' }, { kind: 'refused', reason: 'no' }])(
  'a holder who can not be told ($kind) is left alone',
  async (sent) => {
    const { tell, run, send } = openNews();
    await tell(withdrawn);
    send.mockResolvedValueOnce(sent);
    await expect(run()).resolves.toBeUndefined();
  },
);
