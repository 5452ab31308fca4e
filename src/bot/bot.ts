import { conversations, createConversation } from '@grammyjs/conversations';
import { Bot, type BotConfig } from 'grammy';
import type { Log } from '../log.ts';
import type { Drafts } from '../operations/drafts.ts';
import type { ChatTransactions } from '../storage/storage.ts';
import type { Texts } from '../texts/texts.ts';
import type { BuyState } from './buying/state.ts';
import { type Buttons, callbacks } from './callbacks.ts';
import type { BotContext, Flow } from './context.ts';
import { conversationStorage } from './conversation-storage.ts';
import { BUY_ENERGY } from './flows/buy-energy.ts';
import { boundary } from './middleware/boundary.ts';
import { pressButtons } from './middleware/buttons.ts';
import { answerCards } from './middleware/card-words.ts';
import { takeCommands } from './middleware/commands.ts';
import { enterFlow } from './middleware/enter-flow.ts';
import { floodGuard } from './middleware/flood-guard.ts';
import { privateOnly } from './middleware/private-only.ts';
import { session } from './middleware/session.ts';
import { answerTaps } from './middleware/taps.ts';
import { transaction } from './middleware/transaction.ts';

export interface BotDeps {
  token: string;
  client: NonNullable<BotConfig<BotContext>['client']>;
  chats: ChatTransactions;
  texts: Texts;
  buttons: Buttons;
  drafts: Pick<Drafts, 'isOpen'>;
  flows: { buyEnergy: Flow<BuyState> };
  log: Log;
}

/** The way of an update, top to bottom. What stands above `conversations` is heard while a flow is open. */
export function createBot({
  token,
  client,
  chats,
  texts,
  buttons,
  drafts,
  flows,
  log,
}: BotDeps): Bot<BotContext> {
  const bot = new Bot<BotContext>(token, { client });
  const { card, linking, home } = buttons;

  bot.use(floodGuard({ texts, log }));
  bot.use(privateOnly({ texts, log }));
  bot.use(transaction({ chats, log }));
  bot.use(boundary({ texts, log }));
  bot.use(session({ texts }));
  bot.use(answerTaps({ log }));

  bot.use(takeCommands(buttons));
  bot.use(pressButtons(callbacks(buttons), new Set([card.confirm, card.cancel, card.back, card.checked])));
  bot.filter((ctx) => ctx.session.awaitingKey !== undefined).on('message', linking.take);
  bot.use(answerCards({ card, drafts }));

  bot.use(conversations({ storage: conversationStorage }));
  bot.use(createConversation(flows.buyEnergy, BUY_ENERGY));
  bot.use(enterFlow);

  bot.on('message', home.idle);
  return bot;
}
