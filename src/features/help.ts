import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { isByAdmin } from '../bot/admins-only.ts';
import { askAgain } from '../bot/ask-again.ts';
import type { BotContext } from '../bot/context.ts';
import type { ButtonHandler } from '../bot/feature.ts';
import type { CreateFeature } from '../bot/feature-deps.ts';
import { leaveFlow } from '../bot/leave-flow.ts';
import { send, show } from '../bot/reply.ts';
import { commandList } from '../bot/router.ts';
import { callbackData } from '../i18n/callback-data.ts';
import { counted } from '../i18n/formats.ts';
import { AT_QUESTION, HELP, HELP_TOPICS, type HelpTopic } from '../i18n/help-topics.ts';
import { escapeHtml, type Variables, type Words } from '../i18n/texts.ts';
import { button, inRows, lines, notice, paragraphs } from '../i18n/view.ts';
import {
  BANDWIDTH_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  WITHDRAWAL_FEE_TRX,
} from '../rental-api/limits.ts';

const TO_QUESTION = 'return';

/** Creates the feature that shows frequent questions with answers, and all commands. An open question stays open. */
export const createHelp: CreateFeature = (deps) => {
  const { supportUrl, features, operations } = deps;

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const numbers = HELP_TOPICS.map((topic, at) => ({
      text: String(at + 1),
      callback_data: callbackData(HELP, topic),
    }));
    const questions = HELP_TOPICS.map((topic, at) => `${at + 1}. ${words.html(`help-question-${topic}`)}`);
    const commands = button(words, 'button-help-commands', callbackData(HELP, 'commands'));
    const html = paragraphs(words.html('help'), lines(words.html('help-questions'), ...questions));
    await show(ctx, notice(words, html, ...inRows(numbers, 5), [commands], ...person(words)));
  }

  const person = (words: Words): InlineKeyboardButton[][] =>
    supportUrl ? [[{ text: words.plain('button-support'), url: supportUrl }]] : [];

  const back = (words: Words) => [button(words, 'button-back', callbackData(HELP, 'open'))];

  /** Returns the values in the answers: limits of the service, and the operator's daily limit. */
  function facts({ language }: Words): Variables {
    const { trx } = operations.dailyCap;
    return {
      holder: counted(ENERGY_PER_TRANSFER, language),
      first: counted(ENERGY_PER_FIRST_TRANSFER, language),
      least: counted(BANDWIDTH_MIN, language),
      fee: WITHDRAWAL_FEE_TRX,
      cap: new BigNumber(trx).gt(0) ? trx : 'none',
    };
  }

  const answer =
    (topic: HelpTopic): ButtonHandler =>
    async (ctx, at) => {
      const { words } = ctx;
      const html = paragraphs(
        `<b>${words.html(`help-question-${topic}`)}</b>`,
        words.html(`help-answer-${topic}`, facts(words)),
      );
      const toQuestion = button(words, 'button-help-return', callbackData(HELP, TO_QUESTION));
      if (at === AT_QUESTION) await send(ctx, { html, keyboard: [[toQuestion]] });
      else await show(ctx, notice(words, html, back(words)));
    };

  /** Asks the open question again in place of the answer: that of a flow, or the one for a secret. */
  async function toQuestion(ctx: BotContext): Promise<void> {
    if (askAgain(features(), ctx)) return;
    const awaiting = features().find(({ name }) => name === ctx.session.awaiting);
    const ask = awaiting?.secretInput?.ask;
    if (ask === undefined) return open(ctx);
    leaveFlow(ctx);
    delete ctx.lead;
    await ask(ctx);
  }

  async function commands(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const list = commandList(words, features(), { isAdmin: isByAdmin(deps, ctx) });
    const listed = list.map(({ command, description }) => `/${command} · ${escapeHtml(description)}`);
    const html = paragraphs(lines(words.html('help-commands'), ...listed), words.html('help-quick'));
    await show(ctx, notice(words, html, back(words)));
  }

  return {
    name: HELP,
    keepsFlow: true,
    menu: { button: 'button-help', place: 'more', for: 'anyone' },
    command: { name: 'help', text: 'command-help' },
    open,
    buttons: {
      ...Object.fromEntries(HELP_TOPICS.map((topic) => [topic, answer(topic)])),
      commands,
      [TO_QUESTION]: toQuestion,
    },
  };
};
