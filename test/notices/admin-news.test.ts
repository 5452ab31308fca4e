import { expect, test, vi } from 'vitest';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { createAdminNews } from '../../src/notices/admin-news.ts';
import { createMemoryStorage } from '../../src/storage/memory.ts';
import { createTurns } from '../../src/storage/turns.ts';
import type { Sender, Sent } from '../../src/telegram/sender.ts';
import { createTexts } from '../../src/texts/texts.ts';
import { recordingLog } from '../support/log-lines.ts';

const ADMIN = 900;

/** What tells admins, with a sender and jobs that a test holds; `run` has the job of an admin run. */
function openNews() {
  const send = vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: 1 }));
  const define = vi.fn<Jobs['define']>();
  const add = vi.fn<Jobs['add']>(async () => {});
  const clock = { now: 1_000_000 };
  const { log, lines } = recordingLog();
  const tell = createAdminNews({
    jobs: { define, add, every() {}, start: async () => {}, stop: async () => {} },
    sender: { send },
    turns: createTurns({ storage: createMemoryStorage({ now: () => clock.now }) }),
    texts: createTexts(),
    log,
    admins: new Set([ADMIN, ADMIN + 1]),
  });
  const run = async () => define.mock.calls[0]?.[1](JSON.stringify({ admin: ADMIN, key: 'data-lost' }));
  return { tell, run, send, add, clock, lines };
}

test('every admin is told by a job of their own, in every language', async () => {
  const { tell, run, send, add } = openNews();
  await tell.dataLost();
  expect(add.mock.calls.map(([, data]) => JSON.parse(data).admin)).toEqual([ADMIN, ADMIN + 1]);
  await run();
  expect(send.mock.calls).toEqual([[ADMIN, { html: expect.stringMatching(/[a-z].*\n\n.*[а-я]/is) }]]);
});

test.each<Sent>([
  { kind: 'later', afterMs: 1_000 },
  { kind: 'failed', reason: 'ECONNREFUSED' },
])('an admin who could not be told yet ($kind) is told again', async (sent) => {
  const { run, send } = openNews();
  send.mockResolvedValueOnce(sent);
  await expect(run()).rejects.toThrow('could not be told yet');
});

test.each<Sent>([{ kind: 'blocked' }, { kind: 'gone' }, { kind: 'refused', reason: 'no' }])(
  'an admin who can not be told ($kind) is left alone',
  async (sent) => {
    const { run, send } = openNews();
    send.mockResolvedValueOnce(sent);
    await expect(run()).resolves.toBeUndefined();
  },
);

test('an admin whom the news may have reached is not told twice, and the log says so', async () => {
  const { run, send, lines } = openNews();
  send.mockResolvedValueOnce({ kind: 'unclear', reason: 'UND_ERR_SOCKET' });
  await run();
  expect(lines()).toMatchObject([{ level: 'warn', user: ADMIN, reason: 'UND_ERR_SOCKET' }]);
});

test('that guests have used up their limit is told once in ten minutes', async () => {
  const { tell, add, clock } = openNews();
  for (let times = 0; times < 3; times += 1) await tell.guestsFull();
  expect(add).toHaveBeenCalledTimes(2);
  clock.now += 10 * 60_000;
  await tell.guestsFull();
  expect(add).toHaveBeenCalledTimes(4);
});
