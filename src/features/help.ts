import { BigNumber } from 'bignumber.js';
import type { BotCommand } from 'grammy/types';
import { linkOf } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { isAnyFlowOpen, repeatQuestion } from '../bot/dialogue.ts';
import { defineFeature, type HelpTopic, isByAdmin } from '../bot/feature.ts';
import { addHeader, send, showText } from '../bot/reply.ts';
import { commandList } from '../bot/router.ts';
import type { TextKey } from '../i18n/keys.ts';
import { escapeHtml, lines, paragraphs, type Variables, type Words, withoutTags } from '../i18n/texts.ts';
import { createQuestionSearch } from '../input/question-search.ts';
import { WITHDRAWAL_QUESTION } from '../input/withdrawal-text.ts';
import { normalizeLabel } from '../input/words.ts';
import { orderStateOf } from '../operations/order-state.ts';
import { DAY_MS } from '../platform/clock.ts';
import {
  BANDWIDTH_MIN,
  BW_GUARANTEE_FEE_TRX,
  ENERGY_PER_FIRST_TRANSFER,
  ENERGY_PER_TRANSFER,
  WITHDRAWAL_FEE_TRX,
} from '../rental-api/tron.ts';
import { textOf } from '../telegram/message-content.ts';
import { linkButton } from '../views/account-views.ts';
import { callbackData, replyBelow } from '../views/callback-data.ts';
import { HELP_BUTTONS, HELP_FEATURE, HELP_TOPICS } from '../views/help-buttons.ts';
import { button, inRows, numberButtons } from '../views/view.ts';
import { press } from './views/press.ts';

const TO_QUESTION = 'return';
const TOPICS_PER_PAGE = 15;
const NUMBERS_PER_ROW = 7;
const GENERAL_TOPICS = HELP_TOPICS.map(
  (topic): HelpTopic => ({ topic, question: `help-question-${topic}`, answer: `help-answer-${topic}` }),
);

const WITHDRAWAL_TOPIC = 'withdrawal' satisfies (typeof HELP_TOPICS)[number];
const BURNED_TOPIC = 'burned' satisfies (typeof HELP_TOPICS)[number];
const SAFE_TOPIC = 'safe' satisfies (typeof HELP_TOPICS)[number];
const FAILED_TOPIC = 'failed' satisfies (typeof HELP_TOPICS)[number];
/** Age up to which a failed order is shown to a user who asks for money back, in milliseconds. */
const FAILED_MS = 7 * DAY_MS;
/** Maximum operations of that time that are searched. */
const MAX_SEARCHED = 100;

/** Topics about what only users with an account can do. */
const ACCOUNT_TOPICS: ReadonlySet<string> = new Set(['deposit', 'sale', 'smart-mode', 'withdrawal']);

/** Shows frequent questions with answers, and all commands. An open question stays open. */
export const helpFeature = defineFeature((deps) => {
  const { supportUrl, features, operations } = deps;

  const topics = () => [...GENERAL_TOPICS, ...features().flatMap(({ help = [] }) => help)];

  /** Searches of the languages in use. Each is created at the first question, because the texts of a language never change. */
  const searches = new Map<string, ReturnType<typeof createQuestionSearch>>();
  function searchIn(words: Words) {
    const present = searches.get(words.language);
    if (present) return present;
    const toPlain = (key: TextKey) => withoutTags(words.html(key, facts(false)));
    const known = topics().map(({ topic, question, answer }) => ({
      ...{ topic, question: toPlain(question), answer: toPlain(answer) },
    }));
    const created = createQuestionSearch(known);
    searches.set(words.language, created);
    return created;
  }

  /** Shows the answer to a question in the user's own words, or else the questions that the user may mean. */
  async function reply(ctx: BotContext, said: string): Promise<void> {
    const { words } = ctx;
    const { best, near } = searchIn(words)(said);
    if (best !== undefined) return explain(ctx, best);
    const found = near.flatMap((name) => topics().find(({ topic }) => topic === name) ?? []);
    const html = lines(words.html('help-near'), ...questionLines(words, found));
    if (isAtQuestion(ctx))
      return addToQuestion(ctx, found.length > 0 ? html : words.html('help-none'), found);
    if (found.length === 0) return list(ctx);
    const all = button(words, 'button-help-all', callbackData(HELP_FEATURE, 'open'));
    await showText(ctx, html, numbersOf(found), [all], ...supportRows(words));
  }

  /** Returns whether a text was typed while a question is open, which follows the reply. */
  const isAtQuestion = (ctx: BotContext) => ctx.message !== undefined && isAnyFlowOpen(ctx);

  /** Adds a reply to the open question that follows, so that replies don't pile up. */
  function addToQuestion(ctx: BotContext, html: string, listed: readonly HelpTopic[]): void {
    addHeader(ctx, html);
    const all = replyBelow(callbackData(HELP_FEATURE, 'open'));
    ctx.headerButtons = [
      ...numbersOf(listed, 0, HELP_BUTTONS.atQuestion),
      button(ctx.words, 'button-help-all', all),
    ];
  }

  const questionLines = (words: Words, listed: readonly HelpTopic[], from = 0) =>
    listed.map(({ question }, at) => `${from + at + 1}. ${words.html(question)}`);
  const numbersOf = (listed: readonly HelpTopic[], from = 0, to: string = HELP_BUTTONS.topic) =>
    numberButtons(
      listed.map(({ topic }) => callbackData(HELP_FEATURE, to, topic)),
      from + 1,
    );

  async function list(ctx: BotContext, from = 0): Promise<void> {
    const { words } = ctx;
    const isGuest = (await linkOf(deps, ctx)) === undefined;
    const listed = topics().filter(({ topic }) => !isGuest || !ACCOUNT_TOPICS.has(topic));
    const next = from + TOPICS_PER_PAGE;
    const shown = listed.slice(from, next);
    const hasMore = listed.length > next;
    const more = hasMore ? [button(words, 'button-help-more', callbackData(HELP_FEATURE, 'page', next))] : [];
    const commands = button(words, 'button-help-commands', callbackData(HELP_FEATURE, 'commands'));
    const html = paragraphs(
      words.html('help', { guest: isGuest ? 'yes' : 'no' }),
      lines(words.html('help-questions'), ...questionLines(words, shown, from)),
    );
    const first = from > 0 ? back(words) : [];
    await showText(
      ctx,
      html,
      ...inRows(numbersOf(shown, from), NUMBERS_PER_ROW),
      more,
      first,
      [commands],
      ...supportRows(words),
    );
  }

  const supportRows = (words: Words) =>
    supportUrl ? [[{ text: words.plain('button-support'), url: supportUrl }]] : [];
  const withdrawButton = (words: Words) => button(words, 'button-withdraw', callbackData('withdraw', 'open'));
  const back = (words: Words) => [button(words, 'button-back', callbackData(HELP_FEATURE, 'open'))];

  /** Returns the variables of the answers: limits of the service and the bot, and where support is. */
  function facts(isGuest: boolean): Variables {
    const { trx } = operations.dailyCap;
    return {
      guest: isGuest ? 'yes' : 'no',
      holder: ENERGY_PER_TRANSFER,
      first: ENERGY_PER_FIRST_TRANSFER,
      least: BANDWIDTH_MIN,
      fee: WITHDRAWAL_FEE_TRX,
      bandwidth: BW_GUARANTEE_FEE_TRX,
      cap: new BigNumber(trx).gt(0) ? trx : 'none',
      support: supportUrl ?? 'none',
    };
  }

  const answer =
    ({ isBelow }: { isBelow: boolean }) =>
    async (ctx: BotContext, name: string): Promise<void> => {
      const { words } = ctx;
      const found = topics().find(({ topic }) => topic === name);
      if (found === undefined) return list(ctx);
      const isGuest = (await linkOf(deps, ctx)) === undefined;
      const html = paragraphs(
        `<b>${words.html(found.question)}</b>`,
        words.html(found.answer, facts(isGuest)),
      );
      const toQuestion = button(words, 'button-help-return', callbackData(HELP_FEATURE, TO_QUESTION));
      const starts = name === WITHDRAWAL_TOPIC ? [isGuest ? linkButton(words) : withdrawButton(words)] : [];
      if (!isBelow && isAtQuestion(ctx)) addHeader(ctx, html);
      else if (isBelow) await send(ctx, { html, keyboard: [[toQuestion], ...supportRows(words)] });
      else await showText(ctx, html, starts, ...supportRows(words), back(words));
    };

  const explain = answer({ isBelow: false });

  /** Shows the receipt of the latest order that failed, or the answer about failed orders. */
  async function showFailed(ctx: BotContext): Promise<void> {
    const { kinds, history } = operations;
    const recent = await history.since(ctx.from.id, deps.now() - FAILED_MS, MAX_SEARCHED);
    const failed = recent.find((operation) => {
      const state = orderStateOf(kinds.of(operation.request), operation, deps.now());
      return state === 'failed' || state === 'returned';
    });
    if (failed === undefined) await explain(ctx, FAILED_TOPIC);
    else await send(ctx, await deps.card(ctx.words, failed), failed.receipt.card);
  }

  /** Shows how to reach support, or the list if there is none. */
  async function showSupport(ctx: BotContext): Promise<void> {
    if (supportUrl === undefined) return list(ctx);
    await showText(ctx, ctx.words.html('help-support'), ...supportRows(ctx.words), back(ctx.words));
  }

  async function toQuestion(ctx: BotContext): Promise<void> {
    if (!(await repeatQuestion(features(), ctx))) await list(ctx);
  }

  async function commands(ctx: BotContext): Promise<void> {
    const { words } = ctx;
    const link = await linkOf(deps, ctx);
    const { usable, linked } = commandList(words, features(), {
      isAdmin: isByAdmin(deps, ctx),
      isMerchant: link?.isMerchant,
      isLinked: link !== undefined,
    });
    const html = paragraphs(
      commandLines(words.html('help-commands'), usable),
      linked.length > 0 && commandLines(words.html('help-commands-linked'), linked),
      words.html('help-quick', { guest: link ? 'no' : 'yes' }),
    );
    await showText(ctx, html, back(words));
  }

  return {
    name: HELP_FEATURE,
    keepsFlow: true,
    textForm: WITHDRAWAL_QUESTION,
    onCommandText: (ctx, text) =>
      WITHDRAWAL_QUESTION.test(normalizeLabel(text)) ? explain(ctx, WITHDRAWAL_TOPIC) : reply(ctx, text),
    menu: { button: 'button-help', place: 'more', for: 'anyone' },
    command: { name: 'help', text: 'command-help', inMenu: true },
    forSuspended: true,
    words: [
      ...['?', 'help', 'help me', 'faq', 'info', 'how', 'how it works', 'how does it work'],
      ...['помощь', 'помоги', 'помогите', 'справка', 'инструкция', 'как', 'как это работает'],
      ...['не понимаю', 'не понял'],
    ],
    buttonWords: {
      about: [
        ...['what is this', 'who are you', 'что это', 'кто ты', 'кто вы', 'что ты умеешь'],
        ...['what is energy', 'what s energy', 'what is tron energy', 'why do i need energy'],
        ...['что такое энергия', 'зачем энергия', 'зачем нужна энергия', 'зачем мне энергия'],
      ],
      safe: [
        ...['is it safe', 'is this safe', 'are you safe', 'is it secure', 'scam', 'scammer', 'scammers'],
        ...['legit', 'can i trust you', 'can i trust this', 'why should i trust you', 'is it trustworthy'],
        ...[
          'безопасно',
          'это безопасно',
          'безопасно ли это',
          'мошенник',
          'мошенники',
          'обман',
          'развод',
          'скам',
        ],
        ...['кидалово', 'лохотрон', 'можно вам доверять', 'можно доверять', 'вам можно доверять'],
      ],
      support: [
        'support',
        'contact support',
        'human',
        'оператор',
        'оператора',
        'поддержка',
        'поддержку',
        'в поддержку',
        'техподдержка',
      ],
      failed: [
        ...[
          'refund',
          'my refund',
          'money back',
          'my money back',
          'give me my money back',
          'i want my money back',
          'get my money back',
          'got my money back',
          'receive my money back',
        ],
        ...['where is my refund', 'my money', 'chargeback'],
        ...['возврат', 'верните деньги', 'верни деньги', 'вернуть деньги'],
      ],
      burned: [
        ...['transfer failed', 'my transfer failed', 'transaction failed', 'my transaction failed'],
        ...['transfer did not go through', 'transfer didn t go through', 'transfer still burned trx'],
        ...['trx burned', 'trx burnt', 'trx was burned', 'trx was burnt', 'burned my trx', 'burnt my trx'],
        ...['перевод не прошёл', 'перевод не прошел', 'мой перевод не прошёл', 'мой перевод не прошел'],
        ...['перевод не удался', 'транзакция не прошла', 'перевод не проходит', 'сгорели trx', 'сгорел trx'],
      ],
      wrong: [
        ...['sent it to the wrong address', 'i sent it to the wrong address', 'sent to the wrong address'],
        ...['sent to a wrong address', 'i used the wrong address', 'withdrew to the wrong address'],
        ...['отправил не на тот адрес', 'отправила не на тот адрес', 'вывел не на тот адрес'],
        ...['вывела не на тот адрес', 'не на тот адрес', 'на неверный адрес'],
      ],
      payment: [
        ...[
          'how do i pay',
          'how can i pay',
          'how to pay',
          'can i pay',
          'where do i pay',
          'pay with usdt',
          'pay in usdt',
        ],
        ...[
          'как платить',
          'как оплатить',
          'как заплатить',
          'можно оплатить',
          'можно платить',
          'можно заплатить',
        ],
        ...['paid too much', 'sent too much', 'overpaid', 'i overpaid', 'sent more', 'by mistake'],
        ...['wrong network', 'wrong chain', 'another network', 'different network', 'other network'],
        ...[
          'erc20',
          'erc 20',
          'bep20',
          'bep 20',
          'не та сеть',
          'не ту сеть',
          'не той сети',
          'не в той сети',
          'по той сети',
        ],
        ...[
          'другой сети',
          'другая сеть',
          'другую сеть',
          'неправильная сеть',
          'ошибся сетью',
          'ошиблась сетью',
        ],
        ...['переплатил', 'переплатила', 'переплата', 'лишнее', 'отправил лишнее', 'отправила лишнее'],
        'по ошибке',
      ],
      twice: [
        ...[
          'paid twice',
          'i paid twice',
          'have paid twice',
          'sent twice',
          'sent it twice',
          'i sent it twice',
        ],
        ...['charged twice', 'was i charged twice', 'charged me twice', 'charged again', 'double charge'],
        ...['why was i charged', 'why am i charged', 'why did you charge me', 'why was money taken'],
        ...['почему списали деньги', 'за что списали деньги', 'почему списали', 'за что списали'],
        ...['почему списались деньги', 'почему с меня списали'],
        ...['double charged', 'bought twice', 'дважды', 'два раза', 'двойное списание', 'я оплатил дважды'],
        ...[
          'я оплатила дважды',
          'оплатил дважды',
          'оплатила дважды',
          'заплатил дважды',
          'заплатила дважды',
          'отправил дважды',
          'отправила дважды',
        ],
        ...['списали дважды', 'дважды списали', 'списалось дважды', 'списали два раза', 'заплатил два раза'],
      ],
    },
    open: (ctx) =>
      ctx.message && ctx.aside?.isExact === false ? reply(ctx, textOf(ctx.message)) : list(ctx),
    buttons: {
      async about(ctx) {
        if (!isAtQuestion(ctx)) return list(ctx);
        const isGuest = (await linkOf(deps, ctx)) === undefined;
        addToQuestion(ctx, ctx.words.html('help', { guest: isGuest ? 'yes' : 'no' }), []);
      },
      safe: (ctx) => explain(ctx, SAFE_TOPIC),
      support: showSupport,
      failed: showFailed,
      burned: (ctx) => explain(ctx, BURNED_TOPIC),
      payment: (ctx) => explain(ctx, 'invoice'),
      wrong: async (ctx) => explain(ctx, (await linkOf(deps, ctx)) ? WITHDRAWAL_TOPIC : 'invoice'),
      /** An account's movements show whether something was paid twice. A guest's payments can't be seen. */
      async twice(ctx) {
        if (await linkOf(deps, ctx)) await press(deps, ctx, { feature: 'movements', button: 'open' });
        else await explain(ctx, 'invoice');
      },
      [HELP_BUTTONS.topic]: explain,
      [HELP_BUTTONS.atQuestion]: answer({ isBelow: true }),
      page: (ctx, from) => list(ctx, Number(from) || 0),
      commands,
      [TO_QUESTION]: toQuestion,
    },
  };
});

function commandLines(heading: string, commands: readonly BotCommand[]): string {
  return lines(
    heading,
    ...commands.map(({ command, description }) => `/${command} · ${escapeHtml(description)}`),
  );
}
