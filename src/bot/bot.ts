import { conversations, createConversation } from '@grammyjs/conversations';
import { Bot, type BotConfig } from 'grammy';
import type { Users } from '../accounts/users.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Operations } from '../operations/operations.ts';
import type { Log } from '../platform/log.ts';
import type { ChatTransactions } from '../platform/storage.ts';
import type { ButtonTokens } from './button-tokens.ts';
import type { BotContext } from './context.ts';
import { conversationStorage, enterFlow, flowConversation, flowId } from './conversations.ts';
import type { Feature, FeatureDeps } from './feature.ts';
import { answerTaps, fallback, replyToEdits } from './middleware/default-replies.ts';
import { errorBoundary } from './middleware/error-boundary.ts';
import { type FloodReplies, floodGuard, privateOnly } from './middleware/guards.ts';
import { handleCommands, handleTaps } from './middleware/routing.ts';
import { session, transaction, type UpdatePace } from './middleware/transaction.ts';
import { notifyUndelivered, rejectBannedUsers, trackUsers } from './middleware/users.ts';
import { cancelAbandonedCard, handleTextAtCard } from './operation-card.ts';
import { createRouter, perChatCommands } from './router.ts';
import { createOperatorKeyGuard, handleSecrets } from './secrets.ts';

export interface BotDeps
  extends Pick<
    FeatureDeps,
    | 'card'
    | 'links'
    | 'addressBook'
    | 'maintenance'
    | 'openMenu'
    | 'operator'
    | 'isAdmin'
    | 'adminAlerts'
    | 'supportUrl'
  > {
  users: Users;
  operations: FeatureDeps['operations'] & Pick<Operations, 'undelivered' | 'notifyUndelivered'>;
  token: string;
  client: NonNullable<BotConfig<BotContext>['client']>;
  chats: ChatTransactions;
  buttonTokens: ButtonTokens;
  texts: Texts;
  features: readonly Feature[];
  /** Called when a user who may have blocked the bot uses it again. */
  onReturn: (chat: number) => Promise<unknown>;
  /** Receives the updates that the flood guard drops. Returns at once. */
  dropFlood: FloodReplies['drop'];
  updatePace?: UpdatePace;
  /** Epoch milliseconds. */
  now: () => number;
  log: Log;
}

/**
 * Creates the bot with its middleware, in the order of execution. Middleware above `conversations` also runs while a
 * flow is open.
 */
export function createBot(deps: BotDeps): Bot<BotContext> {
  const { token, client, chats, texts, features, operations, card, links, addressBook, log } = deps;
  const { maintenance, openMenu, dropFlood, onReturn, buttonTokens, updatePace, now } = deps;
  const bot = new Bot<BotContext>(token, { client });
  const router = createRouter(features);
  const undelivered = notifyUndelivered({ operations });
  const users = trackUsers(deps);
  const prefetch = (ctx: BotContext) => {
    ctx.linked = ctx.from && links.readAhead(ctx.from.id);
    ctx.addressBook = ctx.from && addressBook.readAhead(ctx.from.id);
    ctx.maintenance = maintenance.readAhead();
    undelivered.prefetch(ctx);
    users.prefetch(ctx);
    if (ctx.callbackQuery?.data) router.routeTap(ctx.callbackQuery.data, ctx)?.prefetch(ctx);
  };

  bot.use((ctx, next) => {
    ctx.api.config.use(buttonTokens.sign);
    return next();
  });
  bot.use(floodGuard({ drop: dropFlood }));
  bot.use(privateOnly({ texts, log }));
  bot.use(transaction({ chats, pace: updatePace, prefetch, log }));
  bot.use(errorBoundary({ texts, log }));
  bot.use(session({ texts, log }));
  bot.use(perChatCommands({ ...deps, storedUser: users.storedUser }));
  bot.use(answerTaps({ log }));
  bot.use(cancelAbandonedCard({ card, operations }));
  bot.use(users.track);
  bot.use(rejectBannedUsers({ ...deps, storedUser: users.storedUser }));
  bot.use(undelivered.notify);

  bot.use(handleSecrets({ router, openMenu, operatorKey: createOperatorKeyGuard(deps), now }));
  bot.use(replyToEdits());
  bot.use(handleCommands({ router, openMenu, onReturn }));
  bot.use(handleTaps({ router, buttonTokens }));
  bot.use(handleTextAtCard({ card, operations, router }));

  bot.use(conversations({ storage: conversationStorage(features) }));
  for (const feature of features) {
    if (feature.flow) bot.use(createConversation(flowConversation(feature.flow), flowId(feature)));
  }
  bot.use(enterFlow({ features }));

  bot.use(fallback({ openMenu, onText: router.onText }));
  return bot;
}
