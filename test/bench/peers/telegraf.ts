import { Redis } from '@telegraf/session/redis';
import { Composer, Scenes, session, Telegraf } from 'telegraf';
import { TOKEN, WEBHOOK_SECRET } from '../identities.ts';
import * as messages from './messages.ts';
import { createRental } from './rental.ts';
import { readArguments, serveWebhook, WEBHOOK_PATH } from './webhook-server.ts';

type Context = Scenes.WizardContext;

/** State of the wizard. Each step sets the fields that the next ones read. */
interface State extends messages.Draft {
  /** Id of the message that asks for the address. */
  question: number;
  offer: messages.Offer;
}

const stateOf = (ctx: Context) => ctx.wizard.state as State;
const { port, redisUrl, telegramRoot, rentalRoot } = readArguments();
const rental = createRental(rentalRoot);

const open = new Composer<Context>();
open.on('callback_query', async (ctx) => {
  await ctx.answerCbQuery();
  await ctx.editMessageText(...messages.askAddress());
  stateOf(ctx).question = ctx.callbackQuery.message?.message_id ?? 0;
  return ctx.wizard.next();
});

const takeAddress = new Composer<Context>();
takeAddress.hears(messages.ADDRESS_FORMAT, async (ctx) => {
  const state = stateOf(ctx);
  Object.assign(state, { address: ctx.match[0], energy: 65_000, hours: 1 });
  state.offer = await rental.offer(ctx.from.id, state);
  await ctx.reply(...messages.card(state, state.offer));
  await ctx.deleteMessage(state.question);
  return ctx.wizard.next();
});

const confirm = new Composer<Context>();
confirm.action(Object.keys(messages.OPTIONS), async (ctx) => {
  const state = stateOf(ctx);
  await ctx.answerCbQuery();
  Object.assign(state, messages.OPTIONS[ctx.match[0]]);
  state.offer = await rental.offer(ctx.from.id, state);
  await ctx.editMessageText(...messages.card(state, state.offer));
});
confirm.action(messages.CONFIRM, async (ctx) => {
  const state = stateOf(ctx);
  await ctx.answerCbQuery();
  await ctx.editMessageText(...messages.buying(state));
  const order = await rental.buy(ctx.from.id, state);
  await ctx.editMessageText(...messages.bought(state, state.offer, order, Date.now()));
  return ctx.scene.leave();
});

const purchase = new Scenes.WizardScene<Context>('purchase', open, takeAddress, confirm);

const stage = new Scenes.Stage<Context>([purchase]);
stage.start(async (ctx) => {
  await ctx.scene.leave();
  await ctx.reply(...messages.menu(ctx.from.id));
});
stage.action(['menu:open', messages.CANCEL], async (ctx) => {
  await ctx.scene.leave();
  await ctx.answerCbQuery();
  await ctx.editMessageText(...messages.menu(ctx.from.id));
});
stage.action('menu:more', async (ctx) => {
  await ctx.answerCbQuery();
  await ctx.editMessageText(...messages.more());
});
stage.action('energy:open', (ctx) => ctx.scene.enter('purchase'));

// Without the slash at the end, telegraf drops the last part of the path.
const bot = new Telegraf<Context>(TOKEN, { telegram: { apiRoot: `${telegramRoot}/` } });
bot.use(session({ store: Redis<Scenes.WizardSession>({ url: redisUrl }) }));
bot.use(stage.middleware());
bot.on('callback_query', (ctx) => ctx.answerCbQuery());

serveWebhook(port, bot.webhookCallback(WEBHOOK_PATH, { secretToken: WEBHOOK_SECRET }));
