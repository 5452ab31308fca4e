import { expect, test } from 'vitest';
import { createTelegram } from '../../src/telegram/telegram.ts';
import { silentLog } from '../support/log-lines.ts';
import { startTelegramStub, TOKEN } from '../support/telegram-stub.ts';

async function openTelegram() {
  const stub = await startTelegramStub();
  const now = () => 1_000_000;
  const telegram = createTelegram({
    ...{ token: TOKEN, apiRoot: stub.root, calls: { note() {} }, now, log: silentLog() },
  });
  return { stub, ...telegram };
}

test('returns a 429 for messages and copies outside of updates at once', async () => {
  const { stub, sender, copier, close } = await openTelegram();
  const tooMany = { error: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } };
  stub.plan('sendMessage', tooMany);
  stub.plan('copyMessage', tooMany);
  expect(await sender.send(501, { html: 'Hello' })).toMatchObject({ kind: 'later' });
  expect(await copier.copy(502, { chat: 504, message: 9 }, [])).toMatchObject({ kind: 'later' });
  expect(stub.calls).toHaveLength(2);
  await close();
  await stub.close();
});

test('counts messages and copies against the pace of broadcasts', async () => {
  const { stub, sender, copier, outgoing, close } = await openTelegram();
  expect(outgoing.availableFrom(1, 1_000_000)).toBe(1_000_000);
  await sender.send(501, { html: 'Hello' });
  expect(outgoing.availableFrom(1, 1_000_000)).toBe(1_001_000);
  await copier.copy(502, { chat: 504, message: 9 }, []);
  expect(outgoing.availableFrom(2, 1_000_000)).toBe(1_001_000);
  expect(outgoing.availableFrom(3, 1_000_000)).toBe(1_000_000);
  await close();
  await stub.close();
});
