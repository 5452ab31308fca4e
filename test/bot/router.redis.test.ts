import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { changes } from '../../src/bot/feature.ts';
import { createButtonTokens } from '../../src/bot/router.ts';
import { createRedisStorage } from '../../src/platform/redis-storage.ts';
import { silentLog } from '../support/log-lines.ts';
import { redisUrl } from '../support/redis.ts';
import { CHAT } from './stand-in-bot.ts';

test('only one of many concurrent updates redeems a token, and may repeat that', async () => {
  const url = await redisUrl();
  const keys = [randomBytes(32)];
  const replicas = [0, 1].map(() => {
    const storage = createRedisStorage({ url, log: silentLog() });
    onTestFinished(() => storage.close());
    const features = () => [{ name: 'shop', buttons: { buy: changes(async () => {}) } }];
    return createButtonTokens(keys, { storage, features, now: Date.now });
  });
  let data = '';
  const markup = { inline_keyboard: [[{ text: 'Buy', callback_data: 'shop:buy' }]] };
  const call = async (_: string, payload: { reply_markup: typeof markup }) => {
    data = payload.reply_markup.inline_keyboard[0]?.[0]?.callback_data ?? '';
    return { ok: true as const, result: true };
  };
  await replicas[0]?.sign(call as never, 'sendMessage', { chat_id: CHAT, text: '', reply_markup: markup });
  const updates = Array.from({ length: 40 }, (_, at) => at);
  const redeemed = await Promise.all(
    updates.map((update) => replicas[update % 2]?.redeem({ chat: CHAT, update, data })),
  );
  expect(redeemed.filter(Boolean)).toHaveLength(1);
  const first = redeemed.indexOf(true);
  for (const tokens of replicas) expect(await tokens.redeem({ chat: CHAT, update: first, data })).toBe(true);
});
