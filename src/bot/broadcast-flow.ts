import type { InlineKeyboardButton } from 'grammy/types';
import type { AdminLog } from '../accounts/admin-log.ts';
import type { Broadcasts } from '../broadcasts/broadcasts.ts';
import type { Audience, BroadcastDraft, BroadcastDrafts } from '../broadcasts/store.ts';
import { formatCount } from '../i18n/formats.ts';
import { LANGUAGES, type Texts, type Words } from '../i18n/texts.ts';
import { inRows, lines, paragraphs, readAnswer, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import {
  audienceForLog,
  audienceName,
  BROADCAST_STEPS,
  type BroadcastFlowState,
  broadcastFlowSchema,
  broadcastIdOf,
  copyContent,
  hashOf,
  hashOfDraft,
  hashOfMessage,
  LABEL_LENGTH,
  MAX_BUTTONS,
  missingStep,
  parseButtons,
  READERS,
  sendConfirmation,
} from './broadcast-views.ts';
import type { BotContext, Flow } from './context.ts';
import { showFlowEnded } from './conversations.ts';
import { answerButton, dialogue, FLOW_ENDS, questionView, type Step } from './dialogue.ts';
import { send, show } from './reply.ts';
import { parseWholeNumber } from './steps/amounts.ts';

/**
 * Creates the flow in which an admin makes a broadcast: its message, audience and time, and the card that starts it.
 */
export function createBroadcastFlow(deps: {
  broadcasts: Broadcasts;
  launch: ReturnType<typeof createBroadcastLaunch>;
  texts: Texts;
  now: () => number;
  /** Called after *Back* from the first question. */
  onBack(ctx: BotContext): Promise<unknown>;
}): Flow {
  const { broadcasts, now } = deps;
  const { drafts } = broadcasts;
  const about = { ...deps, drafts };
  const audience = broadcastAudienceStep(about);
  const steps: Record<string, Step<BroadcastFlowState>> = {
    [BROADCAST_STEPS.message]: broadcastMessageStep(about),
    [BROADCAST_STEPS.buttons]: broadcastButtonsStep(about),
    [BROADCAST_STEPS.contents]: broadcastContentsStep(about),
    [BROADCAST_STEPS.audience]: audience,
    [BROADCAST_STEPS.tested]: audience,
    [BROADCAST_STEPS.time]: broadcastTimeStep(about),
    [BROADCAST_STEPS.confirm]: broadcastConfirmStep(about),
  };

  async function resolve(ctx: BotContext, from: BroadcastFlowState): Promise<BroadcastFlowState> {
    if (ctx.from === undefined || !Object.hasOwn(steps, from.step)) return from;
    const draft = await drafts.find(ctx.from.id);
    if (draft === undefined) return { ...from, step: BROADCAST_STEPS.gone };
    const state = { ...from, draft, step: missingStep(draft, from.step) ?? from.step };
    if (state.step !== BROADCAST_STEPS.confirm) return state;
    if (state.shownCard === undefined && isOver(draft, now())) {
      return { ...state, step: BROADCAST_STEPS.time, problem: ctx.words.html('making-time-over') };
    }
    return { ...state, shownCard: state.shownCard ?? (await countRecipients(deps, draft)) };
  }

  async function finish(ctx: BotContext, { step }: BroadcastFlowState): Promise<void> {
    if (step === BROADCAST_STEPS.begun) return;
    if (step === FLOW_ENDS.back) return void (await deps.onBack(ctx));
    if (step === BROADCAST_STEPS.gone)
      await show(ctx, withMenuButton(ctx.words, ctx.words.html('making-gone')));
    else await showFlowEnded(ctx, step);
  }

  return dialogue<BroadcastFlowState>({ stateSchema: broadcastFlowSchema, steps, resolve, finish });
}

/**
 * Creates the function that starts or schedules a complete draft and sends its status. A draft starts only once, even
 * if its update is handled again.
 */
export function createBroadcastLaunch(deps: { broadcasts: Broadcasts; adminLog: AdminLog }) {
  const { broadcasts, adminLog } = deps;
  return async (
    ctx: BotContext,
    draft: BroadcastDraft,
    count: number,
  ): Promise<'started' | 'scheduled' | 'busy'> => {
    const { admin, audience } = draft;
    const id = broadcastIdOf(draft);
    ctx.tx.signal.throwIfAborted();
    const outcome = await broadcasts.start({ ...draft, id });
    if (outcome === 'busy') return outcome;
    const made = await broadcasts.find(id);
    if (audience && made && audience.who !== 'me') {
      const same = { id, at: made.createdAt };
      await adminLog.add(admin, `broadcast-${outcome}`, `${audienceForLog(audience)}: ${count}`, same);
    }
    const isTest = audience?.who === 'me';
    ctx.headerHtml = ctx.words.html(isTest ? 'making-tested' : `making-${outcome}`);
    const begun = isTest ? undefined : made;
    if (begun) {
      const message = await send(ctx, broadcasts.view(ctx.words, begun));
      ctx.tx.signal.throwIfAborted();
      await broadcasts.addProgressMessage(id, admin, message);
    }
    return outcome;
  };
}

/** Creates the question for the message of the broadcast, of any kind that can be copied as a whole. */
function broadcastMessageStep({ drafts }: { drafts: BroadcastDrafts }): Step<BroadcastFlowState> {
  return {
    back: BROADCAST_STEPS.contents,
    ask: ({ words }, { language = 'default' }) =>
      questionView(words, words.html('making-message', { language }), []),
    async onAnswer(ctx, state) {
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
      return { ...state, step: BROADCAST_STEPS.buttons };
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
function broadcastButtonsStep(deps: { drafts: BroadcastDrafts; texts: Texts }): Step<BroadcastFlowState> {
  const { drafts, texts } = deps;
  const choices = ({ words }: BotContext) => [[answerButton(words.plain('button-making-none'), NONE)]];

  return {
    back: BROADCAST_STEPS.message,
    choices,
    ask: (ctx) => questionView(ctx.words, ctx.words.html('making-buttons', LIMITS), choices(ctx)),
    async onAnswer(ctx, state, given) {
      const { words, from } = ctx;
      const read = given.kind === 'choice' ? { buttons: [] } : parseButtons(given.text);
      if ('problem' in read) return { ...state, problem: problemOf(words, read.problem) };
      const draft = from && (await drafts.find(from.id));
      if (from === undefined || draft?.source === undefined) return { ...state, step: BROADCAST_STEPS.gone };
      const { message, hash, language } = draft.source;
      const { buttons } = read;
      const reader = READERS.find((one) => one === language) ?? 'default';
      const copy = await copyContent(ctx, texts, { chat: from.id, message, buttons }, reader);
      if ('refusal' in copy) {
        const reason = toPrintable(copy.refusal, 200);
        return { ...state, problem: words.html('making-refused', { reason }) };
      }
      const content = { chat: from.id, message: copy.message, buttons, hash: hashOf([hash, buttons]) };
      ctx.tx.signal.throwIfAborted();
      await drafts.change(draft.admin, ({ contents }) => ({
        contents: { ...contents, [language]: content },
      }));
      return { ...state, step: BROADCAST_STEPS.contents };
    },
  };
}

function problemOf(words: Words, problem: { why: string; line?: string }): string {
  const line = toPrintable(problem.line ?? '', LINE_SHOWN);
  return words.html('problem-making-buttons', { why: problem.why, line, ...LIMITS });
}

const NEXT = 'next';
const SET_CONTENT = 'put-';
const REMOVE_CONTENT = 'drop-';

/** Creates the question below the preview: which languages have a message of their own. */
function broadcastContentsStep({ drafts }: { drafts: BroadcastDrafts }): Step<BroadcastFlowState> {
  const draftOf = async ({ from }: BotContext, { draft }: BroadcastFlowState) =>
    draft ?? (from && (await drafts.find(from.id)));

  async function choices(ctx: BotContext, state: BroadcastFlowState): Promise<InlineKeyboardButton[][]> {
    const { words } = ctx;
    const { contents = {} } = (await draftOf(ctx, state)) ?? {};
    const ofLanguages = LANGUAGES.map((language) =>
      contents[language]
        ? [
            answerButton(words.plain('button-making-replace', { language }), `${SET_CONTENT}${language}`),
            answerButton(words.plain('button-making-drop', { language }), `${REMOVE_CONTENT}${language}`),
          ]
        : [answerButton(words.plain('button-making-add', { language }), `${SET_CONTENT}${language}`)],
    );
    return [
      [answerButton(words.plain('button-making-next'), NEXT)],
      ...ofLanguages,
      [answerButton(words.plain('button-making-replace', { language: 'default' }), `${SET_CONTENT}default`)],
    ];
  }

  return {
    back: BROADCAST_STEPS.buttons,
    choices,
    async ask(ctx, state) {
      const html = paragraphs(
        ctx.words.html('making-contents'),
        languagesWithContent(ctx.words, state.draft),
      );
      return questionView(ctx.words, html, await choices(ctx, state));
    },
    async onAnswer(ctx, state, given) {
      const { words, from } = ctx;
      if (given.kind === 'text' || from === undefined) {
        return { ...state, problem: words.html('problem-choice') };
      }
      if (given.value === NEXT) return { ...state, step: BROADCAST_STEPS.audience };
      const put = READERS.find((one) => given.value === `${SET_CONTENT}${one}`);
      if (put) return { ...state, language: put, step: BROADCAST_STEPS.message };
      const dropped = LANGUAGES.find((one) => given.value === `${REMOVE_CONTENT}${one}`);
      if (dropped) {
        ctx.tx.signal.throwIfAborted();
        await drafts.change(from.id, ({ contents }) => ({ contents: { ...contents, [dropped]: undefined } }));
      }
      return state;
    },
  };
}

/** Returns which languages have a message of their own. */
function languagesWithContent(words: Words, draft: BroadcastDraft | undefined): string {
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
function broadcastAudienceStep(deps: {
  drafts: BroadcastDrafts;
  launch(ctx: BotContext, draft: BroadcastDraft, count: number): Promise<'started' | 'scheduled' | 'busy'>;
}): Step<BroadcastFlowState> {
  const { drafts, launch } = deps;

  function choices({ words }: BotContext) {
    const of = (audience: Audience, value: string) => answerButton(audienceName(words, audience), value);
    return [
      [of({ who: 'everybody' }, 'everybody')],
      LANGUAGES.map((language) => of({ who: 'language', language }, language)),
      ...inRows(
        KINDS.slice(1).map((who) => of({ who }, who)),
        3,
      ),
      SPANS.map((days) => answerButton(words.plain('button-making-days', { days }), days)),
      [of({ who: 'me' }, TEST)],
    ];
  }

  /**
   * Sends a test as a broadcast of its own. The draft remains open. If the update is handled again, no second test is
   * made.
   */
  async function test(
    ctx: BotContext,
    draft: BroadcastDraft,
    state: BroadcastFlowState,
  ): Promise<BroadcastFlowState> {
    const id = hashOf([draft.id, ctx.update.update_id]).slice(0, 32);
    const alone: BroadcastDraft = { ...draft, id, audience: { who: TEST }, at: undefined };
    const begun = await launch(ctx, alone, 1);
    return begun === 'busy'
      ? { ...state, problem: ctx.words.html('making-busy') }
      : { ...state, step: BROADCAST_STEPS.tested };
  }

  return {
    back: BROADCAST_STEPS.contents,
    choices,
    ask: (ctx) => questionView(ctx.words, ctx.words.html('making-whom'), choices(ctx)),
    async onAnswer(ctx, state, given) {
      const audience = parseAudience(given.kind === 'choice' ? given.value : given.text);
      const draft = ctx.from && (await drafts.find(ctx.from.id));
      if (draft === undefined) return { ...state, step: BROADCAST_STEPS.gone };
      if (audience === undefined) return { ...state, problem: audienceProblemOf(ctx.words) };
      if (audience.who === TEST) return test(ctx, draft, state);
      ctx.tx.signal.throwIfAborted();
      await drafts.change(draft.admin, () => ({ audience }));
      return { ...state, step: BROADCAST_STEPS.time };
    },
  };
}

function parseAudience(said: string): Audience | undefined {
  const who = [...KINDS, TEST].find((one) => one === said);
  if (who !== undefined) return { who } as Audience;
  const language = LANGUAGES.find((one) => one === said);
  if (language !== undefined) return { who: 'language', language };
  const days = parseWholeNumber(said) ?? 0;
  return days >= 1 && days <= MAX_DAYS ? { who: 'active', days } : undefined;
}

const audienceProblemOf = (words: Words) =>
  words.html('problem-making-whom', { max: formatCount(MAX_DAYS, words.language) });

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_DAYS_AHEAD = 30;
const DATE_AND_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(?: ?(?:UTC|Z))?$/i;

const DELAYS_MS = { '1h': HOUR_MS, '3h': 3 * HOUR_MS, tomorrow: DAY_MS } as const;

/** Creates the question for the time at which the broadcast starts. */
function broadcastTimeStep(deps: { drafts: BroadcastDrafts; now: () => number }): Step<BroadcastFlowState> {
  const { drafts, now } = deps;
  const choices = ({ words }: BotContext) => [
    [answerButton(words.plain('button-making-now'), 'now')],
    [
      answerButton(words.plain('button-making-1h'), '1h'),
      answerButton(words.plain('button-making-3h'), '3h'),
      answerButton(words.plain('button-making-tomorrow'), 'tomorrow'),
    ],
  ];

  /** Returns the chosen time in epoch milliseconds; `undefined` means now. */
  function timeOf(said: string): { at: number | undefined } | { why: 'form' | 'past' | 'far' } {
    if (said === 'now') return { at: undefined };
    const later = Object.entries(DELAYS_MS).find(([name]) => name === said);
    if (later) return { at: now() + later[1] };
    const at = parseMinute(said);
    if (at === undefined) return { why: 'form' };
    if (at <= now()) return { why: 'past' };
    return at > now() + MAX_DAYS_AHEAD * DAY_MS ? { why: 'far' } : { at };
  }

  return {
    back: BROADCAST_STEPS.audience,
    choices,
    ask: (ctx) =>
      questionView(ctx.words, ctx.words.html('making-time', { now: formatMinute(now()) }), choices(ctx)),
    async onAnswer(ctx, state, given) {
      const time = timeOf(given.kind === 'choice' ? given.value : given.text);
      if ('why' in time) {
        const about = { why: time.why, now: formatMinute(now()), example: formatMinute(now() + DAY_MS) };
        return { ...state, problem: ctx.words.html('problem-making-time', about) };
      }
      ctx.tx.signal.throwIfAborted();
      await drafts.change(ctx.from?.id ?? 0, () => ({ at: time.at }));
      return { ...state, shownCard: undefined, step: BROADCAST_STEPS.confirm };
    },
  };
}

/** Formats epoch milliseconds as a minute in UTC, in the same form as admins type it: `2025-06-01 12:00`. */
function formatMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Parses a minute in UTC. Returns `undefined` for invalid ones, such as the 30th of February. */
function parseMinute(said: string): number | undefined {
  const [, day = '', time = ''] = DATE_AND_TIME.exec(said.trim()) ?? [];
  const at = Date.parse(`${day}T${time}:00Z`);
  return Number.isNaN(at) || formatMinute(at) !== `${day} ${time}` ? undefined : at;
}

/** Maximum time to count the audience, in milliseconds. It leaves enough of a handler's time for the rest. */
const COUNT_TIMEOUT_MS = 5_000;
const CARD_TTL_MS = 10 * 60_000;
/** Maximum number of recipients that a tap can confirm. For more, the admin types the number. */
const MAX_TAP_CONFIRMED = 100;

const SEND = 'send';
const COUNT_AGAIN = 'again';
const CHANGE_AUDIENCE = 'elsewhere';

type Shown = NonNullable<BroadcastFlowState['shownCard']>;

/**
 * Returns what a card shows about a draft now. The count can be late or fail, which is different from zero recipients.
 */
async function countRecipients(
  { broadcasts, now }: { broadcasts: Pick<Broadcasts, 'count'>; now: () => number },
  draft: BroadcastDraft,
): Promise<Shown> {
  const { audience = { who: 'me' }, admin } = draft;
  const counting = broadcasts.count(audience, admin).catch(() => 'failed' as const);
  const count = await orTimeout(counting, COUNT_TIMEOUT_MS, () => 'late' as const);
  return { hash: hashOfDraft(draft), at: now(), count };
}

/** Returns whether the draft's time has passed. */
const isOver = ({ at }: BroadcastDraft, now: number) => at !== undefined && at <= now;

/**
 * Creates the card of a broadcast. The broadcast starts exactly as the card shows, within ten minutes. Otherwise the
 * card is shown again.
 */
function broadcastConfirmStep(deps: {
  broadcasts: Pick<Broadcasts, 'drafts' | 'durationMs' | 'find'>;
  launch(ctx: BotContext, draft: BroadcastDraft, count: number): Promise<'started' | 'scheduled' | 'busy'>;
  now: () => number;
}): Step<BroadcastFlowState> {
  const { broadcasts, launch, now } = deps;

  function choices({ words }: BotContext, { shownCard }: BroadcastFlowState): InlineKeyboardButton[][] {
    const { count } = shownCard ?? {};
    if (count === undefined) return [];
    if (count === 'late') return [[answerButton(words.plain('button-check-again'), COUNT_AGAIN)]];
    if (count === 'failed') return [[answerButton(words.plain('button-try-again'), COUNT_AGAIN)]];
    if (count === 0) return [[answerButton(words.plain('button-making-elsewhere'), CHANGE_AUDIENCE)]];
    const label = words.plain('button-making-send', { count: formatCount(count, words.language) });
    return count > MAX_TAP_CONFIRMED ? [] : [[answerButton(label, SEND)]];
  }

  function html(words: Words, state: BroadcastFlowState): string {
    const { count = 'late' } = state.shownCard ?? {};
    if (typeof count === 'number' && count > 0) {
      return paragraphs(
        sendConfirmation(words, state, { count, ms: broadcasts.durationMs(count) }),
        sendInstruction(words, count),
      );
    }
    const { audience } = state.draft ?? {};
    return lines(
      audience && words.html('making-to', { audience: audienceName(words, audience) }),
      words.html('making-uncounted', { why: count === 0 ? 'nobody' : count }),
    );
  }

  async function begin(ctx: BotContext, state: BroadcastFlowState, shown: Shown, count: number) {
    const draft = ctx.from && (await broadcasts.drafts.find(ctx.from.id));
    if (draft === undefined) return { ...state, step: BROADCAST_STEPS.gone };
    if (hashOfDraft(draft) !== shown.hash)
      return { ...state, shownCard: undefined, reshownBecause: 'changed' as const };
    // A broadcast that has already started is shown, however much time has passed: its update is handled again.
    const isBegun = (await broadcasts.find(broadcastIdOf(draft))) !== undefined;
    if (!isBegun && (now() - shown.at > CARD_TTL_MS || isOver(draft, now()))) {
      return { ...state, shownCard: undefined, reshownBecause: 'late' as const };
    }
    const outcome = await launch(ctx, draft, count);
    if (outcome === 'busy') return { ...state, problem: ctx.words.html('making-busy') };
    return { ...state, step: BROADCAST_STEPS.begun };
  }

  return {
    back: BROADCAST_STEPS.time,
    choices,
    ask(ctx, state) {
      const { words } = ctx;
      // The text of the message may not have changed, so a toast says so.
      if (readAnswer(ctx.callbackQuery?.data) === COUNT_AGAIN && typeof state.shownCard?.count === 'string')
        ctx.toast = words.plain('toast-making-uncounted', { why: state.shownCard.count });
      return questionView(words, html(words, state), choices(ctx, state));
    },
    async onAnswer(ctx, state, given) {
      const { shownCard } = state;
      const count = typeof shownCard?.count === 'number' ? shownCard.count : 0;
      if (given.kind === 'choice' && given.value === CHANGE_AUDIENCE)
        return { ...state, step: BROADCAST_STEPS.audience };
      if (given.kind === 'choice' && given.value === COUNT_AGAIN) return { ...state, shownCard: undefined };
      const isTapped = given.kind === 'choice' && given.tapped === true;
      const isWritten =
        count > MAX_TAP_CONFIRMED && given.kind === 'text' && parseWholeNumber(given.text) === count;
      if (shownCard && count > 0 && (isTapped || isWritten)) return begin(ctx, state, shownCard, count);
      const problem =
        count > MAX_TAP_CONFIRMED ? sendInstruction(ctx.words, count) : ctx.words.html('problem-choice');
      return { ...state, problem };
    },
  };
}

function sendInstruction(words: Words, count: number): string {
  return words.html('making-send', {
    by: count > MAX_TAP_CONFIRMED ? 'number' : 'tap',
    count: formatCount(count, words.language),
  });
}
