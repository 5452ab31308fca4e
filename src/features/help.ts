import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { isByAdmin } from '../bot/admins-only.ts';
import type { BotContext } from '../bot/context.ts';
import { endFlow, repeatQuestion } from '../bot/conversations.ts';
import { type ButtonHandler, defineFeature } from '../bot/feature.ts';
import { send, show } from '../bot/reply.ts';
import { commandList } from '../bot/router.ts';
import { formatCount } from '../i18n/formats.ts';
import { AT_OPEN_QUESTION, HELP_FEATURE, HELP_TOPICS, type HelpTopic } from '../i18n/shared-views.ts';
import { escapeHtml, type Variables, type Words } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, withMenuButton } from '../i18n/view.ts';
import {
  BANDWIDTH_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  WITHDRAWAL_FEE_TRX,
} from '../rental-api/amounts.ts';

const TO_QUESTION = 'return';
const FEATURE_TOPIC = 'topic';

/** Creates the feature that shows frequent questions with answers, and all commands. An open question stays open. */
export const helpFeature = defineFeature((deps) => {
  const { supportUrl, features, operations } = deps;

  /** Returns the general topics and then those of features, with the data of their buttons. */
  function topics() {
    const general = HELP_TOPICS.map((topic) => ({
      question: `help-question-${topic}` as const,
      data: callbackData(HELP_FEATURE, topic),
    }));
    const ofFeatures = features().flatMap(({ help = [] }) =>
      help.map(({ topic, question }) => ({
        question,
        data: callbackData(HELP_FEATURE, FEATURE_TOPIC, topic),
      })),
    );
    return [...general, ...ofFeatures];
  }

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const numbers = topics().map(({ data }, at) => ({ text: String(at + 1), callback_data: data }));
    const questions = topics().map(({ question }, at) => `${at + 1}. ${words.html(question)}`);
    const commands = button(words, 'button-help-commands', callbackData(HELP_FEATURE, 'commands'));
    const html = paragraphs(words.html('help'), lines(words.html('help-questions'), ...questions));
    await show(ctx, withMenuButton(words, html, ...inRows(numbers, 5), [commands], ...person(words)));
  }

  const person = (words: Words): InlineKeyboardButton[][] =>
    supportUrl ? [[{ text: words.plain('button-support'), url: supportUrl }]] : [];

  const back = (words: Words) => [button(words, 'button-back', callbackData(HELP_FEATURE, 'open'))];

  /** Returns the values in the answers: limits of the service, and the operator's daily limit. */
  function facts({ language }: Words): Variables {
    const { trx } = operations.dailyCap;
    return {
      holder: formatCount(ENERGY_PER_TRANSFER, language),
      first: formatCount(ENERGY_PER_FIRST_TRANSFER, language),
      least: formatCount(BANDWIDTH_MIN, language),
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
      const toQuestion = button(words, 'button-help-return', callbackData(HELP_FEATURE, TO_QUESTION));
      if (at === AT_OPEN_QUESTION) await send(ctx, { html, keyboard: [[toQuestion]] });
      else await show(ctx, withMenuButton(words, html, back(words)));
    };

  const featureTopic: ButtonHandler = async (ctx, name) => {
    const { words } = ctx;
    const found = features()
      .flatMap(({ help = [] }) => help)
      .find(({ topic }) => topic === name);
    if (found === undefined) return open(ctx);
    const html = paragraphs(`<b>${words.html(found.question)}</b>`, words.html(found.answer));
    await show(ctx, withMenuButton(words, html, back(words)));
  };

  /** Asks the open question again in place of the answer: that of a flow, or the one for a secret. */
  async function toQuestion(ctx: BotContext): Promise<void> {
    if (repeatQuestion(features(), ctx)) return;
    const awaiting = features().find(({ name }) => name === ctx.session.awaiting);
    const ask = awaiting?.secretInput?.repeatQuestion;
    if (ask === undefined) return open(ctx);
    endFlow(ctx);
    delete ctx.headerHtml;
    await ask(ctx);
  }

  async function commands(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const list = commandList(words, features(), { isAdmin: isByAdmin(deps, ctx) });
    const listed = list.map(({ command, description }) => `/${command} · ${escapeHtml(description)}`);
    const html = paragraphs(lines(words.html('help-commands'), ...listed), words.html('help-quick'));
    await show(ctx, withMenuButton(words, html, back(words)));
  }

  return {
    name: HELP_FEATURE,
    keepsFlow: true,
    menu: { button: 'button-help', place: 'more', for: 'anyone' },
    command: { name: 'help', text: 'command-help' },
    open,
    buttons: {
      ...Object.fromEntries(HELP_TOPICS.map((topic) => [topic, answer(topic)])),
      [FEATURE_TOPIC]: featureTopic,
      commands,
      [TO_QUESTION]: toQuestion,
    },
  };
});
