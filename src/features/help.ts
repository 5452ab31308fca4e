import { BigNumber } from 'bignumber.js';
import type { BotContext } from '../bot/context.ts';
import { repeatQuestion } from '../bot/dialogue.ts';
import { type ButtonHandler, defineFeature, isByAdmin } from '../bot/feature.ts';
import { send, showText } from '../bot/reply.ts';
import { commandList } from '../bot/router.ts';
import { AT_OPEN_QUESTION, HELP_FEATURE, HELP_TOPICS, type HelpTopic } from '../i18n/shared-views.ts';
import {
  button,
  callbackData,
  escapeHtml,
  formatCount,
  inRows,
  lines,
  numberButtons,
  paragraphs,
  type Variables,
  type Words,
} from '../i18n/texts.ts';
import {
  BANDWIDTH_MIN,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  WITHDRAWAL_FEE_TRX,
} from '../rental-api/tron.ts';

const TO_QUESTION = 'return';
const FEATURE_TOPIC = 'topic';

/** Shows frequent questions with answers, and all commands. An open question stays open. */
export const helpFeature = defineFeature((deps) => {
  const { supportUrl, features, operations } = deps;

  const featureTopics = () => features().flatMap(({ help = [] }) => help);

  async function open(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const keys = [
      ...HELP_TOPICS.map((topic) => `help-question-${topic}` as const),
      ...featureTopics().map(({ question }) => question),
    ];
    const data = [
      ...HELP_TOPICS.map((topic) => callbackData(HELP_FEATURE, topic)),
      ...featureTopics().map(({ topic }) => callbackData(HELP_FEATURE, FEATURE_TOPIC, topic)),
    ];
    const questions = keys.map((key, at) => `${at + 1}. ${words.html(key)}`);
    const commands = button(words, 'button-help-commands', callbackData(HELP_FEATURE, 'commands'));
    const support = supportUrl ? [{ text: words.plain('button-support'), url: supportUrl }] : [];
    const html = paragraphs(words.html('help'), lines(words.html('help-questions'), ...questions));
    await showText(ctx, html, ...inRows(numberButtons(data), 5), [commands], support);
  }

  const back = (words: Words) => [button(words, 'button-back', callbackData(HELP_FEATURE, 'open'))];

  /** Returns the variables of the answers: limits of the service, and the daily limit without two-factor codes. */
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
      const question = `<b>${words.html(`help-question-${topic}`)}</b>`;
      const html = paragraphs(question, words.html(`help-answer-${topic}`, facts(words)));
      const toQuestion = button(words, 'button-help-return', callbackData(HELP_FEATURE, TO_QUESTION));
      if (at === AT_OPEN_QUESTION) await send(ctx, { html, keyboard: [[toQuestion]] });
      else await showText(ctx, html, back(words));
    };

  const featureTopic: ButtonHandler = async (ctx, name) => {
    const { words } = ctx;
    const found = featureTopics().find(({ topic }) => topic === name);
    if (found === undefined) return open(ctx);
    const html = paragraphs(`<b>${words.html(found.question)}</b>`, words.html(found.answer));
    await showText(ctx, html, back(words));
  };

  async function toQuestion(ctx: BotContext): Promise<void> {
    if (!(await repeatQuestion(features(), ctx))) await open(ctx);
  }

  async function commands(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const list = commandList(words, features(), { isAdmin: isByAdmin(deps, ctx) });
    const listed = list.map(({ command, description }) => `/${command} · ${escapeHtml(description)}`);
    const html = paragraphs(lines(words.html('help-commands'), ...listed), words.html('help-quick'));
    await showText(ctx, html, back(words));
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
