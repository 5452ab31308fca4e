import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Bot, type Context, GrammyError, InlineKeyboard, InputFile, webhookCallback } from 'grammy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTelegram, type TelegramServer, TOKEN } from './telegram-server.ts';

const createBot = ({ apiRoot }: TelegramServer) => {
  const bot = new Bot(TOKEN, { client: { apiRoot } });
  bot.command('start', (ctx: Context) =>
    ctx.reply('Welcome', { reply_markup: new InlineKeyboard().text('Buy energy', 'buy') }),
  );
  bot.callbackQuery('buy', async (ctx) => {
    await ctx.answerCallbackQuery('Bought');
    await ctx.editMessageText('<b>Done</b>', { parse_mode: 'HTML' });
  });
  return bot;
};

const talk = async ({ write, messages, control }: TelegramServer) => {
  await write('/start');
  await expect
    .poll(() => messages())
    .toMatchObject([{ text: '/start' }, { text: 'Welcome', keyboard: [[{ data: 'buy' }]] }]);
  await control('POST /chats/501/taps', { message_id: 2, data: 'buy' });
  await expect.poll(() => messages()).toMatchObject([{}, { html: '<b>Done</b>', edited: true }]);
};

describe('a bot on grammY', () => {
  it('works with long polling', async () => {
    const server = await startTelegram();
    const bot = createBot(server);
    const running = bot.start();
    await talk(server);
    await bot.stop();
    await running;
    expect(await server.control('GET /pending')).toBe(0);
  });

  it('works with webhooks', async () => {
    const server = await startTelegram();
    const bot = createBot(server);
    const handle = webhookCallback(bot, 'std/http', { secretToken: 'secret' });
    const hook = createAdaptorServer({ fetch: handle });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', () => resolve()));
    onTestFinished(async () => {
      server.sandbox.stop();
      const closed = new Promise((resolve) => hook.close(resolve));
      if ('closeAllConnections' in hook) hook.closeAllConnections();
      await closed;
    });
    await bot.api.setWebhook(`http://127.0.0.1:${(hook.address() as AddressInfo).port}/`, {
      secret_token: 'secret',
    });
    await talk(server);
    await expect.poll(() => server.control('GET /pending')).toBe(0);
  });

  it('uploads photos', async () => {
    const server = await startTelegram();
    const { api } = createBot(server);
    await server.write('/start');
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const sent = await api.sendPhoto(501, new InputFile(picture, 'qr.png'), { caption: 'One' });
    expect(sent).toMatchObject({ caption: 'One', photo: [{ width: 1, height: 1 }] });
    const media = { type: 'photo', media: new InputFile(picture), caption: 'Two' } as const;
    const edited = await api.editMessageMedia(501, sent.message_id, media);
    expect(edited).toMatchObject({ caption: 'Two', photo: [{ width: 1, height: 1 }] });
  });

  it('uploads documents, also with spaces in their names', async () => {
    const server = await startTelegram();
    const { api } = createBot(server);
    await server.write('/start');
    const file = new InputFile(Buffer.from('a,b'), 'my invoices; 2026.csv');
    const { document } = await api.sendDocument(501, file);
    expect(document).toMatchObject({
      file_name: 'my invoices; 2026.csv',
      mime_type: 'text/csv',
      file_size: 3,
    });
  });

  it('receives rejections as those of Telegram', async () => {
    const server = await startTelegram();
    const { api } = createBot(server);
    await expect(api.sendMessage(502, 'Hello')).rejects.toMatchObject({
      constructor: GrammyError,
      error_code: 403,
      description: "Forbidden: bot can't initiate conversation with a user",
    });
    await server.control('POST /faults', { kind: 'rate-limit', retry_after: 3, times: 1 });
    await expect(api.getMe()).rejects.toMatchObject({
      error_code: 429,
      parameters: { retry_after: 3 },
    });
  });
});
