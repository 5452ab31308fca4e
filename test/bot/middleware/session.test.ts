import { expect, test } from 'vitest';
import { session, transaction } from '../../../src/bot/middleware/transaction.ts';
import { createMemoryStorage } from '../../../src/platform/memory-storage.ts';
import { recordingLog, silentLog } from '../../support/log-lines.ts';
import { TEXTS } from '../../support/texts.ts';
import { textUpdate } from '../../support/updates.ts';
import { CHAT, standInBot } from '../stand-in-bot.ts';

test.each(['no JSON', 'null', '[]', '"text"', '{"language":'])(
  'drops the invalid session %j, logs one error and continues',
  async (text) => {
    const { chats } = createMemoryStorage();
    await chats.begin({ chat: CHAT, update: 1, token: 'before', leaseMs: 1_000 });
    await chats.commit({ chat: CHAT, update: 1, token: 'before', changes: { session: text } });
    const { log, lines } = recordingLog();
    const { handle, said } = standInBot(
      transaction({ chats, log }),
      session({ texts: TEXTS, log }),
      async (ctx) => {
        await ctx.reply(String(ctx.session.language));
        ctx.session.language = 'ru';
      },
    );
    for (const update of [2, 3]) await handle(textUpdate(update, CHAT, '/start'));
    expect(said()).toEqual(['undefined', 'ru']);
    expect(lines()).toEqual([expect.objectContaining({ level: 'error', chat: CHAT })]);
  },
);

test('does not read a dropped session again, even if nothing was stored since', async () => {
  const { chats } = createMemoryStorage();
  await chats.begin({ chat: CHAT, update: 1, token: 'before', leaseMs: 1_000 });
  await chats.commit({ chat: CHAT, update: 1, token: 'before', changes: { session: 'no JSON' } });
  const { log, lines } = recordingLog();
  const { handle } = standInBot(transaction({ chats, log }), session({ texts: TEXTS, log }), async () => {});
  for (const update of [2, 3]) await handle(textUpdate(update, CHAT, '/start'));
  expect(lines()).toHaveLength(1);
});

test.each(['{"question":40}', '{}'])('stores no session if it is empty: %s', async (text) => {
  const { chats } = createMemoryStorage();
  await chats.begin({ chat: CHAT, update: 1, token: 'before', leaseMs: 1_000 });
  await chats.commit({ chat: CHAT, update: 1, token: 'before', changes: { session: text } });
  const log = silentLog();
  const { handle } = standInBot(transaction({ chats, log }), session({ texts: TEXTS, log }), (ctx) => {
    delete ctx.session.question;
  });
  await handle(textUpdate(2, CHAT, 'hello'));
  const kept = await chats.begin({ chat: CHAT, update: 3, token: 'after', leaseMs: 0 });
  expect(kept).toMatchObject({ kind: 'granted', session: undefined });
});
