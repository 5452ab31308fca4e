import { conversations, createConversation } from '@grammyjs/conversations';
import { Bot, type BotConfig } from 'grammy';
import type { People } from '../accounts/users.ts';
import type { Texts } from '../i18n/texts.ts';
import type { Operations } from '../operations/operations.ts';
import type { Log } from '../platform/log.ts';
import type { ChatTransactions } from '../platform/storage.ts';
import type { ButtonTokens } from './button-tokens.ts';
import type { BotContext } from './context.ts';
import { conversationStorage, enterFlow, flowConversation, flowId } from './conversations.ts';
import type { Feature } from './feature.ts';
import type { FeatureDeps } from './feature-deps.ts';
import { answerEdits, answerTaps } from './middleware/callback-queries.ts';
import { cancelLeftCard, replyToCards } from './middleware/card-replies.ts';
import { takeCommands } from './middleware/commands.ts';
import { boundary } from './middleware/error-boundary.ts';
import { idle } from './middleware/fallback.ts';
import type { FloodAnswers } from './middleware/flood-guard.ts';
import { floodGuard } from './middleware/flood-guard.ts';
import { tellMissed } from './middleware/missed-messages.ts';
import { pressButtons } from './middleware/press-buttons.ts';
import { privateOnly } from './middleware/private-only.ts';
import { session } from './middleware/session.ts';
import { takeSecrets } from './middleware/take-secrets.ts';
import { transaction, type UpdatePace } from './middleware/transaction.ts';
import { rejectBannedUsers, trackUsers } from './middleware/users.ts';
import { createOperatorKey } from './operator-key.ts';
import { createRouter, ownCommands } from './router.ts';

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
    | 'tellAdmins'
    | 'supportUrl'
  > {
  people: People;
  operations: FeatureDeps['operations'] & Pick<Operations, 'missed' | 'tellMissed'>;
  token: string;
  client: NonNullable<BotConfig<BotContext>['client']>;
  chats: ChatTransactions;
  buttonTokens: ButtonTokens;
  texts: Texts;
  features: readonly Feature[];
  /** Called when a user who may have blocked the bot uses it again. */
  returned: (chat: number) => Promise<unknown>;
  /** Receives the updates that the flood guard drops. Returns at once. */
  dropFlood: FloodAnswers['drop'];
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
  const { token, client, chats, texts, features, operations, card, links, addressBook } = deps;
  const { maintenance, openMenu, dropFlood, returned, buttonTokens, updatePace, log } = deps;
  const bot = new Bot<BotContext>(token, { client });
  const router = createRouter(features);
  const missed = tellMissed({ operations });
  const meeting = trackUsers(deps);
  const ahead = (ctx: BotContext) => {
    ctx.linked = ctx.from && links.ahead(ctx.from.id);
    ctx.addresses = ctx.from && addressBook.ahead(ctx.from.id);
    ctx.maintenance = maintenance.ahead();
    missed.ahead(ctx);
    meeting.ahead(ctx);
    if (ctx.callbackQuery?.data) router.tap(ctx.callbackQuery.data, ctx)?.ahead(ctx);
  };

  bot.use((ctx, next) => {
    ctx.api.config.use(buttonTokens.sign);
    return next();
  });
  bot.use(floodGuard({ drop: dropFlood }));
  bot.use(privateOnly({ texts, log }));
  bot.use(transaction({ chats, pace: updatePace, ahead, log }));
  bot.use(boundary({ texts, log }));
  bot.use(session({ texts, log }));
  bot.use(ownCommands({ ...deps, known: meeting.known }));
  bot.use(answerTaps({ log }));
  bot.use(cancelLeftCard({ card, operations }));
  bot.use(meeting.meet);
  bot.use(rejectBannedUsers({ ...deps, known: meeting.known }));
  bot.use(missed.tell);

  bot.use(takeSecrets({ router, openMenu, operatorKey: createOperatorKey(deps), now: deps.now }));
  bot.use(answerEdits());
  bot.use(takeCommands({ router, openMenu, returned }));
  bot.use(pressButtons({ router, buttonTokens }));
  bot.use(replyToCards({ card, operations, router }));

  bot.use(conversations({ storage: conversationStorage(features) }));
  for (const feature of features) {
    if (feature.flow) bot.use(createConversation(flowConversation(feature.flow), flowId(feature)));
  }
  bot.use(enterFlow({ features }));

  bot.use(idle({ openMenu, hears: router.hears }));
  return bot;
}
