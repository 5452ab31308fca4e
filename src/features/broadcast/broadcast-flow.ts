import { createHash } from 'node:crypto';
import { GrammyError } from 'grammy';
import type { Message } from 'grammy/types';
import { z } from 'zod';
import type { BotContext, Flow } from '../../bot/context.ts';
import {
  answerButton,
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  type Step,
  showFlowEnded,
} from '../../bot/dialogue.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { show, showText } from '../../bot/reply.ts';
import { findStartLink, startLinksOf, startUrl } from '../../bot/router.ts';
import type { Broadcasts } from '../../broadcasts/broadcasts.ts';
import { audienceName } from '../../broadcasts/progress.ts';
import { broadcastRows } from '../../broadcasts/send.ts';
import type { Audience, Broadcast, BroadcastDraft, Content } from '../../broadcasts/store.ts';
import {
  formatCount,
  formatMoment,
  LANGUAGES,
  lines,
  momentVariables,
  paragraphs,
  type Texts,
  type Words,
} from '../../i18n/texts.ts';
import { parseWholeNumber } from '../../input/numbers.ts';
import { orTimeout } from '../../platform/async.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, roundUpToMinutes } from '../../platform/clock.ts';
import { toPrintable } from '../../rental-api/schemas.ts';
import { answerData, readAnswer } from '../../views/callback-data.ts';
import { filterButton, inRows } from '../../views/view.ts';

const MAX_BUTTONS = 8;
const LABEL_LENGTH = 64;
/** Label, dash or vertical bar, and URL of any scheme or `start` parameter of a link to the bot. */
const BUTTON_LINE = /^(.*?)\s*[-–—|]\s*([a-z]+:\/\/\S*)$/iu;
const LINK_LINE = /^(.*?)\s+[-–—|]\s+(\w[\w-]*)$/u;

type Buttons = Content['buttons'];
/** `reason`: why the order of a link can't be made. */
type LineProblem = { why: 'form' | 'label' | 'address' | 'link' } | { why: 'order'; reason: string };
type ButtonsProblem = (LineProblem | { why: 'many' | 'none' }) & { line?: string };

/** `linkOf` returns the URL of a link to the bot, or why it can't be used. */
type LinkOf = (payload: string) => { url: string } | LineProblem;

function parseButtons(
  text: string,
  { most, linkOf }: { most: number; linkOf: LinkOf },
): { buttons: Buttons } | { problem: ButtonsProblem } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { problem: { why: 'none' } };
  if (lines.length > most) return { problem: { why: 'many' } };
  const buttons: Buttons = [];
  for (const line of lines) {
    const parsed = parseButton(line, linkOf);
    if ('why' in parsed) return { problem: { ...parsed, line } };
    buttons.push(parsed);
  }
  return { buttons };
}

function parseButton(line: string, linkOf: LinkOf): Buttons[number] | LineProblem {
  const [, label, address] = BUTTON_LINE.exec(line) ?? LINK_LINE.exec(line) ?? [];
  if (label === undefined || address === undefined) return { why: 'form' };
  const text = toPrintable(label, LABEL_LENGTH + 1);
  if (text === '' || [...text].length > LABEL_LENGTH) return { why: 'label' };
  if (!address.includes(':')) {
    const link = linkOf(address);
    return 'why' in link ? link : { text, url: link.url };
  }
  if (!URL.canParse(address)) return { why: 'address' };
  const { protocol, username, password, href } = new URL(address);
  // Uses the parsed form: other parsers could read a different address in the original text.
  return protocol === 'https:' && username === '' && password === ''
    ? { text, url: href }
    : { why: 'address' };
}

/** Longest duration that is shown in minutes. Longer ones are shown in hours. */
const MAX_MINUTES_SHOWN = 120;

export function audienceForLog(audience: Audience): string {
  const { who } = audience;
  const which = who === 'language' ? audience.language : who === 'active' ? `${audience.days} d` : undefined;
  return which === undefined ? who : `${who} ${which}`;
}

function momentOf({ language }: Words, at: number) {
  return momentVariables(at, (time) => formatMoment(time, language));
}

export function scheduledLine(words: Words, { startAt, audience }: Broadcast): string {
  return words.html('broadcasts-scheduled-one', {
    ...momentOf(words, startAt),
    audience: audienceName(words, audience),
  });
}

export function endedLine(words: Words, broadcast: Broadcast): string {
  const { startAt, begunAt, audience, state, sent, total, endedAt } = broadcast;
  const isCancelled = state === 'stopped' && begunAt === undefined;
  return words.html(isCancelled ? 'broadcasts-cancelled-one' : 'broadcasts-ended-one', {
    ...momentOf(words, isCancelled ? startAt : (endedAt ?? startAt)),
    audience: audienceName(words, audience),
    state,
    sent,
    total,
  });
}

/** `count`: number of recipients. `ms`: duration of sending, in milliseconds. */
function sendConfirmation(
  words: Words,
  { draft, isShownAgain }: BroadcastFlowState,
  { count, ms }: { count: number; ms: number },
): string {
  const own = LANGUAGES.filter((one) => draft?.contents[one]);
  const buttonCount = (reader: Reader) => draft?.contents[reader]?.buttons.length ?? 0;
  const others = own.map((language) => `${language.toUpperCase()} ${buttonCount(language)}`).join(', ');
  const minutes = roundUpToMinutes(ms);
  const inHours = minutes > MAX_MINUTES_SHOWN;
  return paragraphs(
    isShownAgain && words.html('making-outdated'),
    words.html('making-card'),
    lines(
      draft?.audience && words.html('making-to', { audience: audienceName(words, draft.audience) }),
      words.html('making-count', { count }),
      words.html('making-messages', { own: own.length === 0 ? 'none' : own.join(', ').toUpperCase() }),
      words.html('making-buttons-each', { main: buttonCount('default'), others: others || 'none' }),
      draft?.at === undefined
        ? words.html('making-when-now')
        : words.html('making-when', momentOf(words, draft.at)),
      words.html('making-duration', {
        unit: inHours ? 'hours' : 'minutes',
        number: inHours ? Math.ceil(minutes / 60) : minutes,
      }),
    ),
    draft?.at !== undefined && words.html('making-late'),
    words.html('making-final', { start: draft?.at === undefined ? 'now' : 'later' }),
  );
}

/**
 * Copies a broadcast's message into the admin's chat as recipients get it. `reader`: language of the bot's own
 * labels; `default` is the admin's. Returns the copy's message id, or Telegram's reason if it refuses.
 */
export async function copyContent(
  ctx: BotContext,
  texts: Texts,
  { chat, message, buttons }: Pick<Content, 'chat' | 'message' | 'buttons'>,
  reader: Reader,
): Promise<{ message: number } | { refusal: string }> {
  const language = LANGUAGES.find((one) => one === reader) ?? ctx.words.language;
  const rows = broadcastRows(texts, buttons, language);
  ctx.tx.signal.throwIfAborted();
  try {
    const copy = await ctx.api.copyMessage(ctx.from.id, chat, message, {
      reply_markup: { inline_keyboard: rows },
    });
    ctx.hasSentBelow = true;
    return { message: copy.message_id };
  } catch (error) {
    if (error instanceof GrammyError && error.error_code === 400) return { refusal: error.description };
    throw error;
  }
}

/** Readers of a version of the message. `default`: all languages without a version. */
const READERS = ['default', ...LANGUAGES] as const;
type Reader = (typeof READERS)[number];

const versionName = (words: Words, language: string) => words.plain('making-language', { language });

/** Stored state of the flow. Everything else is in the draft, which has its own record. */
const broadcastFlowSchema = dialogueStateSchema.extend({
  language: z.enum(READERS).optional(),
  /** Links to the bot that the admin has picked for buttons, by their `start` parameters. */
  links: z.array(z.string()).optional(),
  /** Content of the card above *Send*: hash of the draft, epoch milliseconds, number of recipients. */
  shownCard: z
    .object({ hash: z.string(), at: z.number(), count: z.number().or(z.enum(['late', 'failed'])) })
    .optional(),
});

type ShownCard = NonNullable<z.infer<typeof broadcastFlowSchema>['shownCard']>;

export interface BroadcastFlowState extends z.infer<typeof broadcastFlowSchema>, DialogueState {
  /** Read for each update and never stored. */
  draft?: BroadcastDraft | undefined;
  isShownAgain?: true | undefined;
}

/** Returns the step to go to instead if the draft lacks what `step` needs, such as after a replacement. */
function missingStep({ contents, source, audience }: BroadcastDraft, step: string): string | undefined {
  if (step === 'message') return undefined;
  if (step === 'buttons') return source ? undefined : 'gone';
  if (contents.default === undefined) return step === 'contents' ? FLOW_ENDS.back : 'gone';
  const needsAudience = step === 'time' || step === 'confirm';
  return needsAudience && audience === undefined ? 'audience' : undefined;
}

export function hashOfDraft({ contents, audience, at }: BroadcastDraft): string {
  return hashOf([contents, audience, at]);
}

/** Returns a broadcast id that is the same for an unchanged draft, and fits a button with a token. */
export const broadcastIdOf = (draft: BroadcastDraft): string =>
  hashOf([draft.id, hashOfDraft(draft)]).slice(0, 16);

/** Returns a hash of a message's content, or `undefined` if its kind can't be broadcast. */
function hashOfMessage(message: Message): string | undefined {
  const id = contentIdOf(message);
  const { text, entities, caption, caption_entities } = message;
  return id && hashOf([...id, text ?? caption, entities ?? caption_entities]);
}

function hashOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

/** Checks for an animation first, because Telegram adds a document to it for older clients. */
function contentIdOf({ text, animation, photo, video, document }: Message): string[] | undefined {
  if (text !== undefined) return ['text'];
  if (animation) return ['animation', animation.file_unique_id];
  if (photo) return ['photo', ...photo.map((size) => size.file_unique_id)];
  if (video) return ['video', video.file_unique_id];
  return document && ['document', document.file_unique_id];
}

const BUTTONS_CHOSEN = 'none';
const SAME_BUTTONS = 'same';
const MAX_LINE_LENGTH = 100;
const MAX_REASON_LENGTH = 200;
const BUTTON_LIMITS = { most: String(MAX_BUTTONS), length: String(LABEL_LENGTH) };

const MAX_DAYS = 3_650;
/** Audiences on buttons, with the number of recipients. */
const OFFERED: readonly Audience[] = [
  { who: 'everybody' },
  ...LANGUAGES.map((language): Audience => ({ who: 'language', language })),
  { who: 'holders' },
  { who: 'guests' },
  { who: 'merchants' },
  ...[7, 30, 90].map((days): Audience => ({ who: 'active', days })),
];
/** A broadcast that only its admin gets. */
const TEST: Audience = { who: 'me' };
/** Maximum wait for the counts on the buttons, in milliseconds. Later ones are missing there. */
const AUDIENCE_COUNTS_TIMEOUT_MS = 300;

const MAX_DAYS_AHEAD = 30;
const DELAYS_MS = { '1h': HOUR_MS, '3h': 3 * HOUR_MS, tomorrow: DAY_MS } as const;
const TIME_ALONE = /^\d{1,2}:\d\d$/;
const DATE_AND_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?: ?(?:UTC|Z))?$/i;

/** Maximum wait for the number of recipients, in milliseconds. Leaves the handler time for the reply. */
const COUNT_TIMEOUT_MS = 5_000;
const CARD_TTL_MS = 10 * MINUTE_MS;
/** Maximum recipients that a tap can confirm. For more, the admin types the number. */
const MAX_TAP_CONFIRMED = 100;
const COUNT_AGAIN = 'again';

export interface BroadcastDeps extends FeatureDeps {
  broadcasts: Broadcasts;
}

type DraftChange = Parameters<Broadcasts['drafts']['change']>[1];

/** Creates an admin's broadcast flow. `onBack` is called after *Back* from the first question. */
export function createBroadcastFlow(
  deps: BroadcastDeps,
  onBack: (ctx: BotContext) => Promise<unknown>,
): Flow {
  const { broadcasts, texts, now } = deps;
  const { drafts } = broadcasts;
  const launch = createBroadcastLaunch(deps);
  type State = BroadcastFlowState;

  const draftOf = ({ from }: BotContext) => drafts.find(from.id);

  async function changeDraft(ctx: BotContext, changesOf: DraftChange): Promise<void> {
    ctx.tx.signal.throwIfAborted();
    await drafts.change(ctx.from.id, changesOf);
  }

  const message: Step<State> = {
    back: 'contents',
    asksForAny: 'message',
    ask: ({ words }, { language = 'default' }) =>
      words.html('making-message', { version: language, language: versionName(words, language) }),
    async onText(ctx, state) {
      const { words, message } = ctx;
      if (message?.media_group_id !== undefined)
        return { ...state, problem: words.html('problem-making-album') };
      const hash = message && hashOfMessage(message);
      if (message === undefined || hash === undefined)
        return { ...state, problem: words.html('problem-making-message') };
      const { language = 'default' } = state;
      await changeDraft(ctx, () => ({ source: { message: message.message_id, hash, language } }));
      return { ...state, step: 'buttons' };
    },
  };

  /** The bot's own copy with the buttons is the preview, and the source of all other copies. */
  const buttons: Step<State> = {
    back: 'message',
    ask({ words }) {
      const withWords = offeredLinks().find(({ payload }) => payload.includes('-'));
      return words.html('making-buttons', { ...BUTTON_LIMITS, payload: withWords?.payload ?? '' });
    },
    async choices(ctx, { links = [], language = 'default', ...state }) {
      const { words } = ctx;
      const count = links.length;
      const { contents } = state.draft ?? (await draftOf(ctx)) ?? {};
      const main = language === 'default' ? 0 : (contents?.default?.buttons.length ?? 0);
      const same = words.plain('button-making-same', { count: main });
      const next =
        count === 0 ? words.plain('button-making-none') : words.plain('button-making-picked', { count });
      const offered = offeredLinks().map(({ payload, label }) =>
        filterButton(words.plain(label), answerData(payload), links.includes(payload)),
      );
      return [
        ...(main > 0 ? [[answerButton(same, SAME_BUTTONS)]] : []),
        [answerButton(next, BUTTONS_CHOSEN)],
        ...inRows(offered),
      ];
    },
    async onChoice(ctx, state, value) {
      const { links = [] } = state;
      if (value === SAME_BUTTONS)
        return copyWithButtons(ctx, state, (await draftOf(ctx))?.contents.default?.buttons ?? []);
      if (value === BUTTONS_CHOSEN) return copyWithButtons(ctx, state, pickedButtons(ctx, state));
      const others = links.filter((payload) => payload !== value);
      if (others.length < links.length) return { ...state, links: others };
      return links.length < MAX_BUTTONS ? { ...state, links: [...links, value] } : state;
    },
    asksForAny: 'text',
    async onText(ctx, state, text) {
      const picked = pickedButtons(ctx, state);
      const parsed = parseButtons(text, {
        most: MAX_BUTTONS - picked.length,
        linkOf(payload) {
          const { feature, text = '' } = findStartLink(deps.features(), payload) ?? {};
          if (feature === undefined) return { why: 'link' };
          const reason = feature.linkProblem?.(ctx.words, text);
          return reason === undefined ? { url: startUrl(ctx, payload) } : { why: 'order', reason };
        },
      });
      if ('buttons' in parsed) return copyWithButtons(ctx, state, [...picked, ...parsed.buttons]);
      const { problem } = parsed;
      const { why, line = '' } = problem;
      const links = offeredLinks().map(({ payload }) => payload);
      const shown = {
        ...{ why, line: toPrintable(line, MAX_LINE_LENGTH), links: links.join(', ') },
        ...BUTTON_LIMITS,
      };
      const explained = ctx.words.html('problem-making-buttons', shown);
      return { ...state, problem: lines(why === 'order' && problem.reason, explained) };
    },
  };

  const offeredLinks = () => deps.features().flatMap(startLinksOf);

  /** Returns the buttons of the picked links. Each recipient reads their labels in the recipient's language. */
  function pickedButtons(ctx: BotContext, { language, links = [] }: State): Buttons {
    const words = texts.in(LANGUAGES.find((one) => one === language) ?? ctx.words.language);
    return offeredLinks()
      .filter(({ payload }) => links.includes(payload))
      .map(({ payload, label }) => ({
        text: words.plain(label),
        url: startUrl(ctx, payload),
        texts: Object.fromEntries(LANGUAGES.map((one) => [one, texts.in(one).plain(label)])),
      }));
  }

  async function copyWithButtons(ctx: BotContext, state: State, buttons: Buttons): Promise<State> {
    const draft = await draftOf(ctx);
    if (draft?.source === undefined) return { ...state, step: 'gone' };
    const { message, hash, language } = draft.source;
    const reader = READERS.find((one) => one === language) ?? 'default';
    const copy = await copyContent(ctx, texts, { chat: draft.admin, message, buttons }, reader);
    if ('refusal' in copy) return { ...state, problem: refusalProblem(ctx.words, copy) };
    const content = { chat: draft.admin, message: copy.message, buttons, hash: hashOf([hash, buttons]) };
    await changeDraft(ctx, ({ contents }) => ({ contents: { ...contents, [language]: content } }));
    return { ...state, links: undefined, step: 'contents' };
  }

  const contents: Step<State> = {
    back: 'buttons',
    async ask(ctx, { language = 'default', ...state }) {
      const { words } = ctx;
      const draft = state.draft ?? (await draftOf(ctx));
      // The next question shows the counts.
      void broadcasts.countEach(OFFERED).catch(() => undefined);
      return paragraphs(
        words.html('making-contents', {
          version: draft?.contents[language] ? language : 'default',
          language: versionName(words, language),
        }),
        lines(
          ...LANGUAGES.map((language) =>
            words.html('making-version', {
              language: versionName(words, language),
              own: draft?.contents[language] ? 'yes' : 'no',
            }),
          ),
        ),
      );
    },
    async choices(ctx, state) {
      const { words } = ctx;
      const { contents = {} } = state.draft ?? (await draftOf(ctx)) ?? {};
      const change = (how: 'add' | 'replace' | 'drop', language: Reader) =>
        answerButton(
          words.plain(`button-making-${how}`, { language: versionName(words, language) }),
          `${how === 'drop' ? 'drop' : 'put'}-${language}`,
        );
      const ofLanguages = LANGUAGES.map((language) =>
        contents[language]
          ? [change('replace', language), change('drop', language)]
          : [change('add', language)],
      );
      return [
        [answerButton(words.plain('button-making-next'), 'next')],
        ...ofLanguages,
        [change('replace', 'default')],
      ];
    },
    async onChoice(ctx, state, value) {
      if (value === 'next') return { ...state, step: 'audience' };
      const replaced = READERS.find((one) => value === `put-${one}`);
      if (replaced) return { ...state, language: replaced, step: 'message' };
      const dropped = LANGUAGES.find((one) => value === `drop-${one}`);
      if (dropped)
        await changeDraft(ctx, ({ contents }) => ({ contents: { ...contents, [dropped]: undefined } }));
      return state;
    },
  };

  /** A test to the admin is sent at once, and the question is repeated. */
  const audience: Step<State> = {
    back: 'contents',
    async ask({ words }) {
      const counting = broadcasts.countEach(OFFERED).catch(() => undefined);
      const counts = await orTimeout(counting, AUDIENCE_COUNTS_TIMEOUT_MS);
      return { html: words.html('making-audience-ask'), buttons: audienceButtons(words, counts) };
    },
    choices: ({ words }) => audienceButtons(words),
    async onText(ctx, state, text) {
      const audience = parseAudience(text);
      const draft = await draftOf(ctx);
      if (draft === undefined) return { ...state, step: 'gone' };
      if (audience === undefined)
        return { ...state, problem: ctx.words.html('problem-making-audience', { max: MAX_DAYS }) };
      if (audience.who === 'me') return sendTest(ctx, draft, state);
      await changeDraft(ctx, () => ({ audience }));
      return { ...state, step: 'time' };
    },
  };

  /**
   * Sends a test as a separate broadcast, and copies the other languages' messages. The draft remains open. A repeated
   * update makes no second broadcast.
   */
  async function sendTest(ctx: BotContext, draft: BroadcastDraft, state: State): Promise<State> {
    const id = hashOf([draft.id, ctx.update.update_id]).slice(0, 32);
    const outcome = await launch(ctx, { ...draft, id, audience: { who: 'me' }, at: undefined }, 1);
    if (outcome === 'busy') return { ...state, problem: ctx.words.html('making-busy') };
    const { contents } = draft;
    const received = contents[ctx.words.language] ?? contents.default;
    for (const reader of READERS) {
      const content = contents[reader];
      const copy = content && content !== received && (await copyContent(ctx, texts, content, reader));
      if (copy && 'refusal' in copy) return { ...state, problem: refusalProblem(ctx.words, copy) };
    }
    return state;
  }

  const time: Step<State> = {
    back: 'audience',
    ask: ({ words }) => words.html('making-time', { at: formatMinute(now()) }),
    choices: ({ words }) => [
      [answerButton(words.plain('button-making-now'), 'now')],
      [
        answerButton(words.plain('button-making-1h'), '1h'),
        answerButton(words.plain('button-making-3h'), '3h'),
        answerButton(words.plain('button-making-tomorrow'), 'tomorrow'),
      ],
    ],
    onText: takeTime,
  };

  async function takeTime(ctx: BotContext, state: State, text: string): Promise<State> {
    const time = parseTime(text, now());
    if (time === undefined) {
      const { words } = ctx;
      const about = { now: formatMinute(now()), example: formatMinute(now() + DAY_MS) };
      const isPast = isTimePast({ at: parseMinute(text) }, now());
      const problem = lines(
        isPast && words.html('making-time-over'),
        TIME_ALONE.test(text.trim()) && words.html('making-time-dateless'),
        words.html('problem-making-time', about),
      );
      return { ...state, problem };
    }
    await changeDraft(ctx, () => ({ at: time.at }));
    return { ...state, shownCard: undefined, step: 'confirm' };
  }

  /** The broadcast starts exactly as shown, within ten minutes. Otherwise the card is shown again. */
  const confirm: Step<State> = {
    mayShowToast: true,
    back: 'time',
    choices({ words }, { draft, shownCard: { count } = {} }) {
      if (count === undefined) return [];
      if (count === 'late') return [[answerButton(words.plain('button-check-again'), COUNT_AGAIN)]];
      if (count === 'failed') return [[answerButton(words.plain('button-try-again'), COUNT_AGAIN)]];
      if (count === 0) return [[answerButton(words.plain('button-making-elsewhere'), 'elsewhere')]];
      const isScheduled = draft?.at !== undefined;
      const label = words.plain(isScheduled ? 'button-making-schedule' : 'button-making-send', { count });
      return count > MAX_TAP_CONFIRMED ? [] : [[answerButton(label, 'send')]];
    },
    ask(ctx, state) {
      const { words } = ctx;
      const { draft, shownCard: { count = 'late' } = {} } = state;
      // The new text may equal the old one. The toast then shows that the tap had an effect.
      if (readAnswer(ctx.callbackQuery?.data) === COUNT_AGAIN && typeof state.shownCard?.count === 'string')
        ctx.toast = words.plain('toast-making-uncounted');
      if (typeof count === 'number' && count > 0) {
        const confirmation = sendConfirmation(words, state, { count, ms: broadcasts.durationMs(count) });
        const instruction = count > MAX_TAP_CONFIRMED && sendInstruction(words, count);
        return paragraphs(confirmation, state.problem !== instruction && instruction);
      }
      return lines(
        draft?.audience && words.html('making-to', { audience: audienceName(words, draft.audience) }),
        words.html('making-uncounted', { why: count === 0 ? 'empty' : count }),
      );
    },
    onChoice(ctx, state, value, isTapped) {
      if (value === 'elsewhere') return { ...state, step: 'audience' };
      if (value === COUNT_AGAIN) return { ...state, shownCard: undefined };
      return startAsShown(ctx, state, () => isTapped);
    },
    onText(ctx, state, text) {
      const isTime = [DATE_AND_TIME, TIME_ALONE].some((form) => form.test(text.trim()));
      if (isTime) return takeTime(ctx, state, text);
      return startAsShown(
        ctx,
        state,
        (count) => count > MAX_TAP_CONFIRMED && parseWholeNumber(text) === count,
      );
    },
  };

  async function startAsShown(
    ctx: BotContext,
    state: State,
    isConfirmed: (count: number) => boolean,
  ): Promise<State> {
    const { shownCard } = state;
    const count = typeof shownCard?.count === 'number' ? shownCard.count : 0;
    if (!shownCard || count === 0 || !isConfirmed(count)) {
      const problem =
        count > MAX_TAP_CONFIRMED ? sendInstruction(ctx.words, count) : ctx.words.html('problem-choice');
      return { ...state, problem };
    }
    const draft = await draftOf(ctx);
    if (draft === undefined) return { ...state, step: 'gone' };
    if (hashOfDraft(draft) !== shownCard.hash) return { ...state, shownCard: undefined, isShownAgain: true };
    // The update is handled again: shows the started broadcast, however much time has passed.
    const isBegun = (await broadcasts.find(broadcastIdOf(draft))) !== undefined;
    if (!isBegun && (now() - shownCard.at > CARD_TTL_MS || isTimePast(draft, now())))
      return { ...state, shownCard: undefined, isShownAgain: true };
    const outcome = await launch(ctx, draft, count);
    if (outcome === 'busy') return { ...state, problem: ctx.words.html('making-busy') };
    return { ...state, step: 'begun' };
  }

  /** Counts the recipients for the card. `count` is `late` after the timeout and `failed` after an error. */
  async function countRecipients(draft: BroadcastDraft): Promise<ShownCard> {
    const { audience = TEST } = draft;
    const counting = broadcasts.count(audience).catch(() => 'failed' as const);
    const count = await orTimeout(counting, COUNT_TIMEOUT_MS, () => 'late' as const);
    return { hash: hashOfDraft(draft), at: now(), count };
  }

  const steps: Record<string, Step<State>> = { message, buttons, contents, audience, time, confirm };

  async function resolve(ctx: BotContext, from: State): Promise<State> {
    if (!Object.hasOwn(steps, from.step)) return from;
    const draft = await drafts.find(ctx.from.id);
    if (draft === undefined) return { ...from, step: 'gone' };
    const state = { ...from, draft, step: missingStep(draft, from.step) ?? from.step };
    if (state.step !== 'confirm') return state;
    if (state.shownCard === undefined && isTimePast(draft, now()))
      return { ...state, step: 'time', problem: ctx.words.html('making-time-over') };
    return { ...state, shownCard: state.shownCard ?? (await countRecipients(draft)) };
  }

  /** `begun`: the draft has become a broadcast. `gone`: it has expired or was replaced. */
  async function finish(ctx: BotContext, { step }: State): Promise<void> {
    if (step === 'begun') return;
    if (step === FLOW_ENDS.back) await onBack(ctx);
    else if (step === 'gone') await showText(ctx, ctx.words.html('making-gone'));
    else await showFlowEnded(ctx, step);
  }

  return dialogue<State>({ stateSchema: broadcastFlowSchema, steps, resolve, finish });
}

/** Creates the function that starts or schedules a complete draft, at most once, and sends its status. */
export function createBroadcastLaunch(deps: Pick<BroadcastDeps, 'broadcasts' | 'adminLog'>) {
  const { broadcasts, adminLog } = deps;
  return async (ctx: BotContext, draft: BroadcastDraft, count: number) => {
    const { admin, audience } = draft;
    const id = broadcastIdOf(draft);
    ctx.tx.signal.throwIfAborted();
    const outcome = await broadcasts.start({ ...draft, id }, count);
    if (outcome === 'busy') return outcome;
    const made = await broadcasts.find(id);
    if (audience?.who === 'me') {
      ctx.headerHtml = ctx.words.html('making-tested');
      return outcome;
    }
    if (audience && made) {
      const logRef = { id, at: made.createdAt };
      const about = [
        `${audienceForLog(audience)}: ${count}`,
        draft.at && `${formatMinute(draft.at)} UTC`,
        id,
      ];
      await adminLog.add(admin, `broadcast-${outcome}`, about.filter(Boolean).join(', '), logRef);
    }
    ctx.headerHtml = ctx.words.html(`making-${outcome}`);
    if (made) {
      const message = await show(ctx, broadcasts.view(ctx.words, made));
      ctx.tx.signal.throwIfAborted();
      await broadcasts.addProgressMessage(id, admin, message);
    }
    return outcome;
  };
}

/** Returns the buttons of the audiences, with their numbers of recipients in the order of {@link OFFERED}. */
function audienceButtons(words: Words, counts?: readonly number[]) {
  const [everybody, ...others] = OFFERED.map((audience, at) => {
    const count = counts?.[at];
    const shown = count === undefined ? '' : ` · ${formatCount(count, words.language)}`;
    return answerButton(`${audienceName(words, audience)}${shown}`, answerOf(audience));
  });
  return [
    ...(everybody ? [[everybody]] : []),
    ...inRows(others),
    [answerButton(audienceName(words, TEST), answerOf(TEST))],
  ];
}

function answerOf(audience: Audience): string {
  if (audience.who === 'language') return audience.language;
  return audience.who === 'active' ? String(audience.days) : audience.who;
}

function parseAudience(text: string): Audience | undefined {
  const offered = [...OFFERED, TEST].find((one) => answerOf(one) === text);
  if (offered) return offered;
  const days = parseWholeNumber(text) ?? 0;
  return days >= 1 && days <= MAX_DAYS ? { who: 'active', days } : undefined;
}

/** Returns the chosen time in epoch milliseconds; `at: undefined` means now. Returns `undefined` for an invalid time. */
function parseTime(text: string, now: number): { at: number | undefined } | undefined {
  if (text === 'now') return { at: undefined };
  const delay = Object.entries(DELAYS_MS).find(([name]) => name === text);
  if (delay) return { at: now + delay[1] };
  const at = parseMinute(text);
  return at === undefined || at <= now || at > now + MAX_DAYS_AHEAD * DAY_MS ? undefined : { at };
}

/** Formats epoch milliseconds as a minute in UTC, as admins type it: `2025-06-01 12:00`. */
function formatMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Parses a minute in UTC. Returns `undefined` for invalid ones, such as the 30th of February. */
function parseMinute(text: string): number | undefined {
  const [, day = '', time = ''] = DATE_AND_TIME.exec(text.trim()) ?? [];
  const at = Date.parse(`${day}T${time}:00Z`);
  return Number.isNaN(at) || formatMinute(at) !== `${day} ${time}` ? undefined : at;
}

function isTimePast({ at }: Pick<BroadcastDraft, 'at'>, now: number): boolean {
  return at !== undefined && at <= now;
}

function refusalProblem(words: Words, { refusal }: { refusal: string }): string {
  return words.html('making-refused', { reason: toPrintable(refusal, MAX_REASON_LENGTH) });
}

function sendInstruction(words: Words, count: number): string {
  return words.html('making-send', { count });
}
