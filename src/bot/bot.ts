import { Bot, type Middleware, type MiddlewareFn } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { LANGUAGES, type Texts, type Words } from '../i18n/texts.ts';
import { callWithRetry, explainTokenRefusal, MAX_BACKOFF_MS } from '../telegram/fetch.ts';
import { isServiceMessage } from '../telegram/message-content.ts';
import { type BotDescription, setWebhook, type Webhook, type WebhookOptions } from '../telegram/telegram.ts';
import { type WebhookUse, withoutSecrets } from '../telegram/webhook-use.ts';
import { linkOf } from './accounts.ts';
import type { BotContext } from './context.ts';
import { handleFlows } from './dialogue.ts';
import { type BotDeps, entryButton, type Feature, menuEntries, showUnexpected } from './feature.ts';
import {
  answerTaps,
  createFloodReplies,
  createUserMiddleware,
  floodGuard,
  privateOnly,
  replyToEdits,
  textAndLinksOf,
} from './middleware.ts';
import { cancelAbandonedCards, continueFlow, handleTextAtCard, repeatCard } from './operation-card.ts';
import { createUpdateReceiver, errorBoundary, session, transaction } from './receive.ts';
import { showText } from './reply.ts';
import { createRouter, handleCommands, handleTaps, menuCommands } from './router.ts';
import { erasePendingKeys, handleSecrets } from './secrets.ts';

/**
 * Creates the bot with its middleware, in the order of execution. Middleware above `handleFlows` also runs while a flow is
 * open. `updates.receive` handles an update. `updates.drop` handles one that the update queue rejects.
 */
export function createBot(deps: BotDeps) {
  const { token, client, links, addressBook, maintenance, buttonTokens } = deps;
  const bot = new Bot<BotContext>(token, { client: client.options });
  bot.api.config.use(client.call);
  const features = deps.features();
  const router = createRouter(features, deps.texts);
  const drop = createFloodReplies(bot.api, deps);
  const users = createUserMiddleware(deps);
  const prefetch = (ctx: BotContext) => {
    ctx.linked = links.readAhead(ctx.from.id);
    ctx.addressBook = addressBook.readAhead(ctx.from.id);
    ctx.maintenance = maintenance.readAhead();
    users.prefetch(ctx);
    if (ctx.callbackQuery?.data) router.routeTap(ctx.callbackQuery.data, ctx)?.prefetch(ctx);
  };

  const laterChanges = new Set<Promise<void>>();
  const repeatOpenCard = (ctx: BotContext) => repeatCard(deps, ctx);
  const handleNew = inOrder(
    replyToEdits,
    handleCommands(router, deps, repeatOpenCard),
    handleTaps(router, deps, (ctx) => continueFlow(deps, ctx), repeatOpenCard),
    handleTextAtCard(router, deps),
  );

  bot.use(
    inOrder(
      (ctx, next) => (isServiceMessage(ctx.update) ? undefined : next()),
      (ctx, next) => {
        ctx.api.config.use(buttonTokens.sign);
        return next();
      },
      floodGuard(drop),
      privateOnly(deps),
      transaction(deps, prefetch, laterChanges),
      errorBoundary(deps),
      session(deps),
      users.setCommands,
      answerTaps(deps),
      cancelAbandonedCards(deps),
      erasePendingKeys(deps),
      users.track,
      users.rejectBanned(router),
      users.notifyUndelivered,
      async (ctx, next) => {
        ctx.aside = ctx.message && (await router.asideOf(ctx.message, ctx));
        return next();
      },
      handleSecrets(router, deps),
      // A question that is repeated below a deleted message needs only the flows.
      (ctx, next) => (ctx.flowToEnter === undefined ? handleNew(ctx, next) : next()),
      handleFlows(features),
      // Handles all other updates. A feature may use the text; otherwise the bot says what to send.
      async (ctx) => {
        const text = ctx.message && textAndLinksOf(ctx.message);
        if (text !== undefined && (await router.handleText(ctx, text))) return;
        await replyWithoutQuestion(deps, ctx);
      },
    ),
  );
  const whenLaterChangesDone = async () => void (await Promise.all(laterChanges));
  return { bot, updates: { ...createUpdateReceiver(bot, deps), drop, whenLaterChangesDone } };
}

/** Runs middleware in this order, like grammY's composer, which makes four promises for each. */
function inOrder(...middleware: Middleware<BotContext>[]): MiddlewareFn<BotContext> {
  const steps = middleware.map((one) => (typeof one === 'function' ? one : one.middleware()));
  return (ctx, next) => {
    function run(at: number): Promise<void> {
      const step = steps[at];
      return step ? (Promise.resolve(step(ctx, () => run(at + 1))) as Promise<void>) : next();
    }
    return run(0);
  };
}

/** Replies to a message while no question is open and no card waits. */
async function replyWithoutQuestion(deps: BotDeps, ctx: BotContext): Promise<unknown> {
  const { aside, words } = ctx;
  if (aside?.kind === 'feature') return aside.open(ctx);
  if (aside === undefined) return showUnexpected(ctx);
  const rows = aside.reply === 'talk-hello' ? [await firstMenuButton(deps, ctx)] : [];
  return showText(ctx, `${words.html(aside.reply)} ${words.html('talk-next')}`, ...rows);
}

/** Returns a row with the button of the menu's first entry, which is the purchase. */
async function firstMenuButton(deps: BotDeps, ctx: BotContext): Promise<InlineKeyboardButton[]> {
  const link = await linkOf(deps, ctx);
  const [first] = menuEntries(deps.features(), [link ? 'linked' : 'guest'], link);
  return first ? [entryButton(ctx.words, first)] : [];
}

export function botDescription(texts: Texts, features: readonly Feature[]): BotDescription {
  const perLanguage = <T>(make: (words: Words) => T) =>
    Object.fromEntries(LANGUAGES.map((language) => [language, make(texts.in(language))]));
  return {
    commands: perLanguage((words) => menuCommands(words, features, { isAdmin: false })),
    shortDescriptions: perLanguage((words) => words.plain('bot-short-description')),
    descriptions: perLanguage((words) => words.plain('bot-description')),
  };
}

/**
 * Reads the bot's own name, then sets the webhook if given, and records that it has replaced the one of another program.
 * Retries while Telegram is unreachable.
 */
export async function startBot(
  bot: Bot<BotContext>,
  {
    webhook,
    webhookUse,
    ...options
  }: {
    webhook?: Webhook;
    webhookUse: Pick<WebhookUse, 'isForeign' | 'recordForeignChange'>;
  } & WebhookOptions,
): Promise<void> {
  const { log } = options;
  const retrying = { ...options, maxWaitMs: MAX_BACKOFF_MS };
  bot.botInfo = await callWithRetry(() => bot.api.getMe(), retrying).catch(explainTokenRefusal);
  if (webhook === undefined) return;
  const { url = '' } = await callWithRetry(() => bot.api.getWebhookInfo(), retrying);
  const isForeign = url !== '' && url !== webhook.url && (await webhookUse.isForeign(url));
  // Telegram may refuse a host whose DNS entry is new, so a refusal isn't final.
  await setWebhook(bot.api, webhook, { ...retrying, retriesRefusals: true });
  if (!isForeign) return;
  const reason = withoutSecrets(url);
  log.warn({ reason }, 'the webhook of another program is replaced');
  // A health check shows it, and advises.
  await webhookUse.recordForeignChange(reason).catch(() => undefined);
}
