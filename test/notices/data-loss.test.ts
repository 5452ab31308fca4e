import { expect, test, vi } from 'vitest';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { createDataLossNews } from '../../src/notices/data-loss.ts';
import type { Sender, Sent } from '../../src/telegram/sender.ts';
import { createTexts } from '../../src/texts/texts.ts';

const ADMIN = 900;

/** What tells admins, with a sender and jobs that a test holds; `run` has the job of an admin run. */
function openNews() {
  const send = vi.fn<Sender['send']>(async () => ({ kind: 'sent', messageId: 1 }));
  const define = vi.fn<Jobs['define']>();
  const add = vi.fn<Jobs['add']>(async () => {});
  const tell = createDataLossNews({
    jobs: { define, add, every() {}, start: async () => {}, stop: async () => {} },
    sender: { send },
    texts: createTexts(),
    admins: new Set([ADMIN, ADMIN + 1]),
  });
  const run = async () => define.mock.calls[0]?.[1](String(ADMIN));
  return { tell, run, send, add };
}

test('every admin is told by a job of their own, in every language', async () => {
  const { tell, run, send, add } = openNews();
  await tell();
  expect(add.mock.calls.map(([, admin]) => admin)).toEqual([String(ADMIN), String(ADMIN + 1)]);
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
