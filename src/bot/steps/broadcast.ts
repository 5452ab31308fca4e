import type { InlineKeyboardButton } from 'grammy/types';
import type { Audience } from '../../broadcasts/broadcast.ts';
import type { Broadcasts } from '../../broadcasts/broadcasts.ts';
import type { BroadcastDraft, BroadcastDrafts } from '../../broadcasts/store.ts';
import { readAnswer } from '../../i18n/callback-data.ts';
import { counted } from '../../i18n/formats.ts';
import { LANGUAGES, type Texts, type Words } from '../../i18n/texts.ts';
import { inRows, lines, paragraphs } from '../../i18n/view.ts';
import { orTimeout } from '../../platform/retry.ts';
import { printable } from '../../rental-api/printable.ts';
import {
  audienceName,
  broadcastIdOf,
  copyContent,
  FOR,
  hashOf,
  hashOfDraft,
  hashOfMessage,
  LABEL_LENGTH,
  MAKING,
  MAX_BUTTONS,
  type MakingState,
  readButtons,
  sendingLines,
} from '../broadcast-views.ts';
import type { BotContext } from '../context.ts';
import type { Step } from '../dialogue.ts';
import { readWhole } from './amounts.ts';
import { answer, question } from './question.ts';

/** Creates the question for the message of the broadcast, of any kind that can be copied as a whole. */
export function broadcastMessageStep({ drafts }: { drafts: BroadcastDrafts }): Step<MakingState> {
  return {
    back: MAKING.contents,
    ask: ({ words }, { language = 'default' }) =>
      question(words, words.html('making-message', { language }), []),
    async take(ctx, state) {
      const { words, message, from } = ctx;
      if (message?.media_group_id !== undefined) {
        return { ...state, problem: words.html('problem-making-album') };
      }
      const hash = message && hashOfMessage(message);
      if (from === undefined || message === undefined || hash === undefined) {
        return { ...state, problem: words.html('problem-making-message') };
      }
      const { language = 'default' } = state;
      ctx.tx.signal.throwIfAborted();
      await drafts.change(from.id, () => ({ source: { message: message.message_id, hash, language } }));
      return { ...state, step: MAKING.buttons };
    },
  };
}

const NONE = 'none';
const LINE_SHOWN = 100;
const LIMITS = { most: String(MAX_BUTTONS), length: String(LABEL_LENGTH) };

/**
 * Creates the question for the buttons below the message. The bot makes its own copy of both, which is the preview and
 * the source of all other copies.
 */
export function broadcastButtonsStep(deps: { drafts: BroadcastDrafts; texts: Texts }): Step<MakingState> {
  const { drafts, texts } = deps;
  const choices = ({ words }: BotContext) => [[answer(words.plain('button-making-none'), NONE)]];

  return {
    back: MAKING.message,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-buttons', LIMITS), choices(ctx)),
    async take(ctx, state, given) {
      const { words, from } = ctx;
      const read = given.kind === 'choice' ? { buttons: [] } : readButtons(given.words);
      if ('problem' in read) return { ...state, problem: problemOf(words, read.problem) };
      const draft = from && (await drafts.of(from.id));
      if (from === undefined || draft?.source === undefined) return { ...state, step: MAKING.gone };
      const { message, hash, language } = draft.source;
      const { buttons } = read;
      const reader = FOR.find((one) => one === language) ?? 'default';
      const copy = await copyContent(ctx, texts, { chat: from.id, message, buttons }, reader);
      if ('refusal' in copy) {
        const reason = printable(copy.refusal, 200);
        return { ...state, problem: words.html('making-refused', { reason }) };
      }
      const content = { chat: from.id, message: copy.message, buttons, hash: hashOf([hash, buttons]) };
      ctx.tx.signal.throwIfAborted();
      await drafts.change(draft.admin, ({ contents }) => ({
        contents: { ...contents, [language]: content },
      }));
      return { ...state, step: MAKING.contents };
    },
  };
}

function problemOf(words: Words, problem: { why: string; line?: string }): string {
  const line = printable(problem.line ?? '', LINE_SHOWN);
  return words.html('problem-making-buttons', { why: problem.why, line, ...LIMITS });
}

const NEXT = 'next';
const PUT = 'put-';
const DROP = 'drop-';

/** Creates the question below the preview: which languages have a message of their own. */
export function broadcastContentsStep({ drafts }: { drafts: BroadcastDrafts }): Step<MakingState> {
  const draftOf = async ({ from }: BotContext, { draft }: MakingState) =>
    draft ?? (from && (await drafts.of(from.id)));

  async function choices(ctx: BotContext, state: MakingState): Promise<InlineKeyboardButton[][]> {
    const { words } = ctx;
    const { contents = {} } = (await draftOf(ctx, state)) ?? {};
    const ofLanguages = LANGUAGES.map((language) =>
      contents[language]
        ? [
            answer(words.plain('button-making-replace', { language }), `${PUT}${language}`),
            answer(words.plain('button-making-drop', { language }), `${DROP}${language}`),
          ]
        : [answer(words.plain('button-making-add', { language }), `${PUT}${language}`)],
    );
    return [
      [answer(words.plain('button-making-next'), NEXT)],
      ...ofLanguages,
      [answer(words.plain('button-making-replace', { language: 'default' }), `${PUT}default`)],
    ];
  }

  return {
    back: MAKING.buttons,
    choices,
    async ask(ctx, state) {
      const html = paragraphs(ctx.words.html('making-contents'), saidIn(ctx.words, state.draft));
      return question(ctx.words, html, await choices(ctx, state));
    },
    async take(ctx, state, given) {
      const { words, from } = ctx;
      if (given.kind === 'words' || from === undefined) {
        return { ...state, problem: words.html('problem-choice') };
      }
      if (given.value === NEXT) return { ...state, step: MAKING.audience };
      const put = FOR.find((one) => given.value === `${PUT}${one}`);
      if (put) return { ...state, language: put, step: MAKING.message };
      const dropped = LANGUAGES.find((one) => given.value === `${DROP}${one}`);
      if (dropped) {
        ctx.tx.signal.throwIfAborted();
        await drafts.change(from.id, ({ contents }) => ({ contents: { ...contents, [dropped]: undefined } }));
      }
      return state;
    },
  };
}

/** Returns which languages have a message of their own. */
function saidIn(words: Words, draft: BroadcastDraft | undefined): string {
  return lines(
    ...LANGUAGES.map((language) =>
      words.html('making-language', { language, own: draft?.contents[language] ? 'yes' : 'no' }),
    ),
  );
}

const KINDS = ['everybody', 'holders', 'guests', 'merchants'] as const;
const TEST = 'me';
const SPANS = [7, 30, 90];
const MAX_DAYS = 3_650;

/** Creates the question for the audience. A test to the admin is sent at once, and the question is repeated. */
export function broadcastAudienceStep(deps: {
  drafts: BroadcastDrafts;
  launch(ctx: BotContext, draft: BroadcastDraft, count: number): Promise<'started' | 'scheduled' | 'busy'>;
}): Step<MakingState> {
  const { drafts, launch } = deps;

  function choices({ words }: BotContext) {
    const of = (audience: Audience, value: string) => answer(audienceName(words, audience), value);
    return [
      [of({ who: 'everybody' }, 'everybody')],
      LANGUAGES.map((language) => of({ who: 'language', language }, language)),
      ...inRows(
        KINDS.slice(1).map((who) => of({ who }, who)),
        3,
      ),
      SPANS.map((days) => answer(words.plain('button-making-days', { days }), days)),
      [of({ who: 'me' }, TEST)],
    ];
  }

  /**
   * Sends a test as a broadcast of its own. The draft remains open. If the update is handled again, no second test is
   * made.
   */
  async function test(ctx: BotContext, draft: BroadcastDraft, state: MakingState): Promise<MakingState> {
    const id = hashOf([draft.id, ctx.update.update_id]).slice(0, 32);
    const alone: BroadcastDraft = { ...draft, id, audience: { who: TEST }, at: undefined };
    const begun = await launch(ctx, alone, 1);
    return begun === 'busy'
      ? { ...state, problem: ctx.words.html('making-busy') }
      : { ...state, step: MAKING.tested };
  }

  return {
    back: MAKING.contents,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-whom'), choices(ctx)),
    async take(ctx, state, given) {
      const audience = audienceIn(given.kind === 'choice' ? given.value : given.words);
      const draft = ctx.from && (await drafts.of(ctx.from.id));
      if (draft === undefined) return { ...state, step: MAKING.gone };
      if (audience === undefined) return { ...state, problem: audienceProblemOf(ctx.words) };
      if (audience.who === TEST) return test(ctx, draft, state);
      ctx.tx.signal.throwIfAborted();
      await drafts.change(draft.admin, () => ({ audience }));
      return { ...state, step: MAKING.time };
    },
  };
}

function audienceIn(said: string): Audience | undefined {
  const who = [...KINDS, TEST].find((one) => one === said);
  if (who !== undefined) return { who } as Audience;
  const language = LANGUAGES.find((one) => one === said);
  if (language !== undefined) return { who: 'language', language };
  const days = readWhole(said) ?? 0;
  return days >= 1 && days <= MAX_DAYS ? { who: 'active', days } : undefined;
}

const audienceProblemOf = (words: Words) =>
  words.html('problem-making-whom', { max: counted(MAX_DAYS, words.language) });

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_DAYS_AHEAD = 30;
const WRITTEN = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?: ?(?:UTC|Z))?$/i;

const LATER = { '1h': HOUR_MS, '3h': 3 * HOUR_MS, tomorrow: DAY_MS } as const;

/** Creates the question for the time at which the broadcast starts. */
export function broadcastTimeStep(deps: { drafts: BroadcastDrafts; now: () => number }): Step<MakingState> {
  const { drafts, now } = deps;
  const choices = ({ words }: BotContext) => [
    [answer(words.plain('button-making-now'), 'now')],
    [
      answer(words.plain('button-making-1h'), '1h'),
      answer(words.plain('button-making-3h'), '3h'),
      answer(words.plain('button-making-tomorrow'), 'tomorrow'),
    ],
  ];

  /** Returns the chosen time in epoch milliseconds; `undefined` means now. */
  function timeOf(said: string): { at: number | undefined } | { why: 'form' | 'past' | 'far' } {
    if (said === 'now') return { at: undefined };
    const later = Object.entries(LATER).find(([name]) => name === said);
    if (later) return { at: now() + later[1] };
    const at = readMinute(said);
    if (at === undefined) return { why: 'form' };
    if (at <= now()) return { why: 'past' };
    return at > now() + MAX_DAYS_AHEAD * DAY_MS ? { why: 'far' } : { at };
  }

  return {
    back: MAKING.audience,
    choices,
    ask: (ctx) => question(ctx.words, ctx.words.html('making-time', { now: minute(now()) }), choices(ctx)),
    async take(ctx, state, given) {
      const time = timeOf(given.kind === 'choice' ? given.value : given.words);
      if ('why' in time) {
        const about = { why: time.why, now: minute(now()), example: minute(now() + DAY_MS) };
        return { ...state, problem: ctx.words.html('problem-making-time', about) };
      }
      ctx.tx.signal.throwIfAborted();
      await drafts.change(ctx.from?.id ?? 0, () => ({ at: time.at }));
      return { ...state, shown: undefined, step: MAKING.confirm };
    },
  };
}

/** Formats epoch milliseconds as a minute in UTC, in the same form as admins type it: `2025-06-01 12:00`. */
function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Parses a minute in UTC. Returns `undefined` for invalid ones, such as the 30th of February. */
function readMinute(said: string): number | undefined {
  const [, day = '', time = ''] = WRITTEN.exec(said.trim()) ?? [];
  const at = Date.parse(`${day}T${time}:00Z`);
  return Number.isNaN(at) || minute(at) !== `${day} ${time}` ? undefined : at;
}

/** Maximum time to count the audience, in milliseconds. It leaves enough of a handler's time for the rest. */
const COUNT_WITHIN_MS = 5_000;
const SHOWN_MS = 10 * 60_000;
/** Maximum number of recipients that a tap can confirm. For more, the admin types the number. */
const BY_TAP = 100;

const SEND = 'send';
const AGAIN = 'again';
const ELSEWHERE = 'elsewhere';

type Shown = NonNullable<MakingState['shown']>;

/**
 * Returns what a card shows about a draft now. The count can be late or fail, which is different from zero recipients.
 */
export async function countedNow(
  { broadcasts, now }: { broadcasts: Pick<Broadcasts, 'count'>; now: () => number },
  draft: BroadcastDraft,
): Promise<Shown> {
  const { audience = { who: 'me' }, admin } = draft;
  const counting = broadcasts.count(audience, admin).catch(() => 'failed' as const);
  const count = await orTimeout(counting, COUNT_WITHIN_MS, () => 'late' as const);
  return { hash: hashOfDraft(draft), at: now(), count };
}

/** Returns whether the draft's time has passed. */
export const isOver = ({ at }: BroadcastDraft, now: number) => at !== undefined && at <= now;

/**
 * Creates the card of a broadcast. The broadcast starts exactly as the card shows, within ten minutes. Otherwise the
 * card is shown again.
 */
export function broadcastConfirmStep(deps: {
  broadcasts: Pick<Broadcasts, 'drafts' | 'durationMs' | 'find'>;
  launch(ctx: BotContext, draft: BroadcastDraft, count: number): Promise<'started' | 'scheduled' | 'busy'>;
  now: () => number;
}): Step<MakingState> {
  const { broadcasts, launch, now } = deps;

  function choices({ words }: BotContext, { shown }: MakingState): InlineKeyboardButton[][] {
    const { count } = shown ?? {};
    if (count === undefined) return [];
    if (count === 'late') return [[answer(words.plain('button-check-again'), AGAIN)]];
    if (count === 'failed') return [[answer(words.plain('button-try-again'), AGAIN)]];
    if (count === 0) return [[answer(words.plain('button-making-elsewhere'), ELSEWHERE)]];
    const label = words.plain('button-making-send', { count: counted(count, words.language) });
    return count > BY_TAP ? [] : [[answer(label, SEND)]];
  }

  function html(words: Words, state: MakingState): string {
    const { count = 'late' } = state.shown ?? {};
    if (typeof count === 'number' && count > 0) {
      return paragraphs(
        sendingLines(words, state, { count, ms: broadcasts.durationMs(count) }),
        howToSend(words, count),
      );
    }
    const { audience } = state.draft ?? {};
    return lines(
      audience && words.html('making-to', { audience: audienceName(words, audience) }),
      words.html('making-uncounted', { why: count === 0 ? 'nobody' : count }),
    );
  }

  async function begin(ctx: BotContext, state: MakingState, shown: Shown, count: number) {
    const draft = ctx.from && (await broadcasts.drafts.of(ctx.from.id));
    if (draft === undefined) return { ...state, step: MAKING.gone };
    if (hashOfDraft(draft) !== shown.hash) return { ...state, shown: undefined, anew: 'changed' as const };
    // A broadcast that has already started is shown, however much time has passed: its update is handled again.
    const isBegun = (await broadcasts.find(broadcastIdOf(draft))) !== undefined;
    if (!isBegun && (now() - shown.at > SHOWN_MS || isOver(draft, now()))) {
      return { ...state, shown: undefined, anew: 'late' as const };
    }
    const outcome = await launch(ctx, draft, count);
    if (outcome === 'busy') return { ...state, problem: ctx.words.html('making-busy') };
    return { ...state, step: MAKING.begun };
  }

  return {
    back: MAKING.time,
    choices,
    ask(ctx, state) {
      const { words } = ctx;
      // The text of the message may not have changed, so a toast says so.
      if (readAnswer(ctx.callbackQuery?.data) === AGAIN && typeof state.shown?.count === 'string')
        ctx.toast = words.plain('toast-making-uncounted', { why: state.shown.count });
      return question(words, html(words, state), choices(ctx, state));
    },
    async take(ctx, state, given) {
      const { shown } = state;
      const count = typeof shown?.count === 'number' ? shown.count : 0;
      if (given.kind === 'choice' && given.value === ELSEWHERE) return { ...state, step: MAKING.audience };
      if (given.kind === 'choice' && given.value === AGAIN) return { ...state, shown: undefined };
      const isTapped = given.kind === 'choice' && given.tapped === true;
      const isWritten = count > BY_TAP && given.kind === 'words' && readWhole(given.words) === count;
      if (shown && count > 0 && (isTapped || isWritten)) return begin(ctx, state, shown, count);
      const problem = count > BY_TAP ? howToSend(ctx.words, count) : ctx.words.html('problem-choice');
      return { ...state, problem };
    },
  };
}

function howToSend(words: Words, count: number): string {
  return words.html('making-send', {
    by: count > BY_TAP ? 'number' : 'tap',
    count: counted(count, words.language),
  });
}
