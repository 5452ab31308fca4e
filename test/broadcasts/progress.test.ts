import { expect, test } from 'vitest';
import { createProgress } from '../../src/broadcasts/progress.ts';
import type { Broadcast } from '../../src/broadcasts/store.ts';
import { createMemoryStorage } from '../../src/platform/memory-storage.ts';
import type { Content, Sent } from '../../src/telegram/sender.ts';
import { silentLog } from '../support/log-lines.ts';
import { signedRecords } from '../support/records.ts';
import { TEXTS } from '../support/texts.ts';

const [MAKER, SECOND, THIRD] = [504, 505, 506];

/** Opens progress reporters on one storage and records their Telegram calls. */
function openProgress() {
  const clock = { now: 1_000_000 };
  const storage = createMemoryStorage({ now: () => clock.now });
  const calls: { how: 'send' | 'edit'; chat: number; message: number; html: string; at: number }[] = [];
  const answers: Sent[] = [];
  const open = (admins = [MAKER, SECOND, THIRD]) => {
    const call = (how: 'send' | 'edit', chat: number, message: number, { html }: Content): Sent => {
      calls.push({ how, chat, message, html, at: clock.now });
      return answers.shift() ?? { kind: 'sent', messageId: message };
    };
    return createProgress({
      records: signedRecords(storage),
      users: { find: async () => undefined },
      sender: {
        send: async (chat: number, content: Content) => call('send', chat, chat * 10, content),
        edit: async (chat: number, message: number, content: Content) => call('edit', chat, message, content),
      },
      texts: TEXTS,
      admins: new Set(admins),
      view: (_, { settled, state }) => ({ html: `${state} ${settled}`, keyboard: [] }),
      async wait(ms: number) {
        clock.now += ms;
      },
      now: () => clock.now,
      log: silentLog(),
    });
  };
  return { clock, calls, answers, open };
}

const at = (settled: number, state: Broadcast['state'] = 'sending') =>
  ({ id: 'b1', admin: MAKER, settled, state }) as Broadcast;

test('keeps one message per admin, reusing the confirmation message of the creator', async () => {
  const { calls, open } = openProgress();
  const progress = open();
  await progress.addMessage('b1', MAKER, 77);
  await progress.sendToAdmins(at(0));
  await progress.sendToAdmins(at(0));
  expect(calls.map(({ how, chat }) => [how, chat])).toEqual([
    ['send', SECOND],
    ['send', THIRD],
  ]);
  await progress.updateFinally(at(9));
  expect(calls.slice(2).map(({ how, chat, message }) => [how, chat, message])).toEqual([
    ['edit', MAKER, 77],
    ['edit', SECOND, SECOND * 10],
    ['edit', THIRD, THIRD * 10],
  ]);
});

test('edits at most every three seconds and shows the result at the end', async () => {
  const { clock, calls, open } = openProgress();
  const progress = open();
  await progress.addMessage('b1', MAKER, 77);
  for (let settled = 1; settled <= 300; settled += 1) {
    progress.update(at(settled));
    clock.now += 100;
    await new Promise(setImmediate);
  }
  expect(calls.length).toBeGreaterThanOrEqual(9);
  const gaps = calls.slice(1).map((call, one) => call.at - (calls[one]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000);
  await progress.updateFinally(at(300, 'done'));
  expect(calls.at(-1)?.html).toBe('done 300');
});

test('another process continues in the same messages', async () => {
  const { calls, open } = openProgress();
  const first = open();
  await first.addMessage('b1', MAKER, 77);
  await first.sendToAdmins(at(0));
  const next = open();
  await next.sendToAdmins(at(5));
  await next.updateFinally(at(5, 'done'));
  const edited = calls.filter(({ how }) => how === 'edit');
  expect(calls.filter(({ how }) => how === 'send')).toHaveLength(2);
  expect(edited.map(({ message }) => message)).toEqual([77, SECOND * 10, THIRD * 10]);
});

test('retries the final edit when Telegram delays or is unavailable', async () => {
  const { calls, answers, open } = openProgress();
  const progress = open();
  await progress.addMessage('b1', MAKER, 77);
  answers.push({ kind: 'later', afterMs: 500 }, { kind: 'away', reason: 'x' });
  await progress.updateFinally(at(300, 'done'));
  expect(calls.map(({ html }) => html)).toEqual(['done 300', 'done 300', 'done 300']);
});

test('does not edit the messages of former admins', async () => {
  const { calls, open } = openProgress();
  await open().addMessage('b1', SECOND, 77);
  await open([MAKER]).updateFinally(at(300, 'done'));
  expect(calls).toEqual([]);
});
