import {
  type Conversation,
  type ConversationFlavor,
  conversations,
  createConversation,
} from '@grammyjs/conversations';
import { RedisAdapter } from '@grammyjs/storage-redis';
import { Bot, type Context, webhookCallback } from 'grammy';
import { Redis } from 'ioredis';
import { TOKEN, WEBHOOK_SECRET } from '../identities.ts';
import * as messages from './messages.ts';
import { createRental } from './rental.ts';
import { readArguments, serveWebhook } from './webhook-server.ts';

type BotContext = ConversationFlavor<Context>;

const { port, redisUrl, telegramRoot, rentalRoot } = readArguments();
const rental = createRental(rentalRoot);

async function answerTap(ctx: Context): Promise<void> {
  if (ctx.callbackQuery) await ctx.answerCallbackQuery();
}
const otherwise = answerTap;

const optionIn = ({ callbackQuery }: { callbackQuery: { data: string } }) =>
  messages.OPTIONS[callbackQuery.data];

/** `question`: id of the message that becomes the first question. */
async function purchase(
  conversation: Conversation<BotContext, Context>,
  opened: Context,
  person: number,
  question: number,
): Promise<void> {
  await opened.answerCallbackQuery();
  await opened.editMessageText(...messages.askAddress());

  const pasted = await conversation.waitForHears(messages.ADDRESS_FORMAT, { otherwise });
  let draft: messages.Draft = { address: pasted.msg.text ?? '', energy: 65_000, hours: 1 };
  let offer = await conversation.external(() => rental.offer(person, draft));
  await pasted.reply(...messages.card(draft, offer));
  await pasted.api.deleteMessage(pasted.chat.id, question);

  const buttons = [...Object.keys(messages.OPTIONS), messages.CONFIRM];
  let confirmed = await conversation.waitForCallbackQuery(buttons, { otherwise });
  await confirmed.answerCallbackQuery();
  for (let change = optionIn(confirmed); change !== undefined; change = optionIn(confirmed)) {
    draft = { ...draft, ...change };
    offer = await conversation.external(() => rental.offer(person, draft));
    await confirmed.editMessageText(...messages.card(draft, offer));
    confirmed = await conversation.waitForCallbackQuery(buttons, { otherwise });
    await confirmed.answerCallbackQuery();
  }

  await confirmed.editMessageText(...messages.buying(draft));
  const order = await conversation.external(() => rental.buy(person, draft));
  await confirmed.editMessageText(...messages.bought(draft, offer, order, await conversation.now()));
}

const bot = new Bot<BotContext>(TOKEN, { client: { apiRoot: telegramRoot } });
const adapter = new RedisAdapter<never>({ instance: new Redis(redisUrl) });
bot.use(conversations({ storage: { type: 'key', adapter } }));
bot.command('start', async (ctx) => {
  await ctx.conversation.exitAll();
  await ctx.reply(...messages.menu(ctx.from?.id ?? 0));
});
bot.callbackQuery(['menu:open', messages.CANCEL], async (ctx) => {
  await ctx.conversation.exitAll();
  await ctx.answerCallbackQuery();
  await ctx.editMessageText(...messages.menu(ctx.from.id));
});
bot.callbackQuery('menu:more', async (ctx) => {
  await ctx.answerCallbackQuery();
  await ctx.editMessageText(...messages.more());
});
bot.use(createConversation(purchase));
bot.callbackQuery('energy:open', (ctx) => ctx.conversation.enter('purchase', ctx.from.id, ctx.msgId));
bot.on('callback_query', answerTap);

serveWebhook(port, webhookCallback(bot, 'http', { secretToken: WEBHOOK_SECRET }));
