import { createHash } from 'node:crypto';
import { GrammyError } from 'grammy';
import type { Message } from 'grammy/types';
import { z } from 'zod';
import type { Audience, Broadcast, BroadcastDraft, Content } from '../broadcasts/store.ts';
import { formatCount, formatMoment } from '../i18n/formats.ts';
import { optOutRow } from '../i18n/shared-views.ts';
import { LANGUAGES, type Texts, type Words } from '../i18n/texts.ts';
import { lines, paragraphs } from '../i18n/view.ts';
import { toPrintable } from '../rental-api/schemas.ts';
import type { BotContext } from './context.ts';
import { type DialogueState, dialogueStateSchema, FLOW_ENDS } from './dialogue.ts';

export const MAX_BUTTONS = 8;
export const LABEL_LENGTH = 64;
/** Matches a label, a dash or a vertical bar, and a URL of any scheme. */
const BUTTON_LINE = /^(.*?)\s*[-–—|]\s*([a-z]+:\/\/\S*)$/iu;

type Buttons = Content['buttons'];
/** Problem of the entered buttons, with the line that contains it. */
type ButtonsProblem = { why: 'form' | 'label' | 'address'; line: string } | { why: 'many' | 'none' };

/** Parses link buttons, one per line: `Label - https://address`. */
export function parseButtons(text: string): { buttons: Buttons } | { problem: ButtonsProblem } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { problem: { why: 'none' } };
  if (lines.length > MAX_BUTTONS) return { problem: { why: 'many' } };
  const buttons: Buttons = [];
  for (const line of lines) {
    const read = parseButton(line);
    if (typeof read === 'string') return { problem: { why: read, line } };
    buttons.push(read);
  }
  return { buttons };
}

function parseButton(line: string): Buttons[number] | 'form' | 'label' | 'address' {
  const [, label, address] = BUTTON_LINE.exec(line) ?? [];
  if (label === undefined || address === undefined) return 'form';
  const text = toPrintable(label, LABEL_LENGTH + 1);
  if (text === '' || [...text].length > LABEL_LENGTH) return 'label';
  if (!URL.canParse(address)) return 'address';
  const { protocol, username, password, href } = new URL(address);
  // Uses the parsed form: other parsers could read a different address in the original text.
  return protocol === 'https:' && username === '' && password === '' ? { text, url: href } : 'address';
}

const MINUTE_MS = 60_000;
/** Longest duration that is shown in minutes. Longer ones are shown in hours. */
const MAX_MINUTES_SHOWN = 120;

/** Returns the name of an audience. */
export function audienceName(words: Words, audience: Audience): string {
  const who = audience.who === 'language' ? audience.language : audience.who;
  return words.plain('making-audience', { who, days: audience.who === 'active' ? audience.days : 0 });
}

/** Returns the name of an audience for the admin log, which has no language. */
export function audienceForLog(audience: Audience): string {
  const { who } = audience;
  const which = who === 'language' ? audience.language : who === 'active' ? `${audience.days} d` : undefined;
  return which === undefined ? who : `${who} ${which}`;
}

/** Returns the line of a broadcast that hasn't started. */
export function scheduledLine(words: Words, { startAt, audience }: Broadcast): string {
  const audienceIs = audienceName(words, audience);
  return words.html('broadcasts-scheduled-one', {
    when: formatMoment(startAt, words.language),
    audience: audienceIs,
  });
}

/** Returns the line of a broadcast that has ended, with its result. */
export function endedLine(
  words: Words,
  { startAt, audience, state, sent, total, endedAt }: Broadcast,
): string {
  const { language } = words;
  return words.html('broadcasts-ended-one', {
    when: formatMoment(endedAt ?? startAt, language),
    audience: audienceName(words, audience),
    state,
    sent: formatCount(sent, language),
    total: formatCount(total, language),
  });
}

/**
 * Returns everything that *Send* confirms. `count`: number of recipients, above 0. `ms`: duration of sending, in
 * milliseconds.
 */
export function sendConfirmation(
  words: Words,
  { draft, reshownBecause }: BroadcastFlowState,
  { count, ms }: { count: number; ms: number },
): string {
  const { language } = words;
  const own = LANGUAGES.filter((one) => draft?.contents[one]);
  const minutes = Math.ceil(ms / MINUTE_MS);
  const inHours = minutes > MAX_MINUTES_SHOWN;
  return paragraphs(
    reshownBecause && words.html('making-anew', { why: reshownBecause }),
    words.html('making-card'),
    lines(
      draft?.audience && words.html('making-to', { audience: audienceName(words, draft.audience) }),
      words.html('making-count', { count: formatCount(count, language) }),
      words.html('making-says', { own: own.length === 0 ? 'none' : own.join(', ').toUpperCase() }),
      words.html('making-when', { when: draft?.at === undefined ? 'now' : formatMoment(draft.at, language) }),
      words.html('making-takes', {
        unit: minutes <= 1 ? 'minute' : inHours ? 'hours' : 'minutes',
        number: formatCount(inHours ? Math.ceil(minutes / 60) : minutes, language),
      }),
    ),
    draft?.at !== undefined && words.html('making-late'),
    words.html('making-final'),
  );
}

/**
 * Copies a broadcast's message into the admin's chat as recipients get it, with its own buttons and the opt-out button.
 * Returns the copy's message id, or Telegram's reason if it refuses.
 *
 * @param reader language of the opt-out button; `default` means the admin's language
 */
export async function copyContent(
  ctx: BotContext,
  texts: Texts,
  { chat, message, buttons }: Pick<Content, 'chat' | 'message' | 'buttons'>,
  reader: Reader,
): Promise<{ message: number } | { refusal: string }> {
  const language = LANGUAGES.find((one) => one === reader) ?? ctx.words.language;
  const rows = [...buttons.map((one) => [one]), optOutRow(texts.in(language))];
  ctx.tx.signal.throwIfAborted();
  try {
    const copy = await ctx.api.copyMessage(ctx.from?.id ?? 0, chat, message, {
      reply_markup: { inline_keyboard: rows },
    });
    return { message: copy.message_id };
  } catch (error) {
    if (error instanceof GrammyError && error.error_code === 400) return { refusal: error.description };
    throw error;
  }
}

/** Steps of the flow that makes a broadcast, and its endings besides {@link FLOW_ENDS}. */
export const BROADCAST_STEPS = {
  message: 'message',
  buttons: 'buttons',
  contents: 'contents',
  audience: 'audience',
  /** The question for the audience again, below a test message. */
  tested: 'tested',
  time: 'time',
  confirm: 'confirm',
  /** The draft has become a broadcast. */
  begun: 'begun',
  /** The draft has expired (after one day), or another one has replaced it. */
  gone: 'gone',
} as const;

/** Readers of a version of the message. `default` is for all languages without a version of their own. */
export const READERS = ['default', ...LANGUAGES] as const;
type Reader = (typeof READERS)[number];

/** Stored state of the flow. Everything else is in the draft, which has its own record. */
export const broadcastFlowSchema = dialogueStateSchema.extend({
  language: z.enum(READERS).optional(),
  /** Content of the card above *Send*: the draft's hash, the time (epoch milliseconds) and the number of recipients. */
  shownCard: z
    .object({ hash: z.string(), at: z.number(), count: z.number().or(z.enum(['late', 'failed'])) })
    .optional(),
});

export interface BroadcastFlowState extends z.infer<typeof broadcastFlowSchema>, DialogueState {
  /** Read for each update and never stored. */
  draft?: BroadcastDraft | undefined;
  /** Why the card is shown again. */
  reshownBecause?: 'late' | 'changed' | undefined;
}

/**
 * Returns the step to go to instead if the draft lacks what `step` needs. That happens after another draft has replaced
 * it, or after *Back* from the first question.
 */
export function missingStep(
  { contents, source, audience }: BroadcastDraft,
  step: string,
): string | undefined {
  if (step === BROADCAST_STEPS.message) return undefined;
  if (step === BROADCAST_STEPS.buttons) return source ? undefined : BROADCAST_STEPS.gone;
  if (contents.default === undefined)
    return step === BROADCAST_STEPS.contents ? FLOW_ENDS.back : BROADCAST_STEPS.gone;
  const needsAudience = step === BROADCAST_STEPS.time || step === BROADCAST_STEPS.confirm;
  return needsAudience && audience === undefined ? BROADCAST_STEPS.audience : undefined;
}

/** Returns a hash of everything that a draft would send, of its audience and of its time. */
export function hashOfDraft({ contents, audience, at }: BroadcastDraft): string {
  return hashOf([contents, audience, at]);
}

/**
 * Returns the id of the broadcast that a draft starts. Each confirmation of an unchanged draft gives the same id; a
 * changed draft gives another. The id is short enough for a button with a token.
 */
export const broadcastIdOf = (draft: BroadcastDraft): string =>
  hashOf([draft.id, hashOfDraft(draft)]).slice(0, 16);

/** Returns a hash of a message's content, or `undefined` if its kind can't be broadcast. */
export function hashOfMessage(message: Message): string | undefined {
  const kept = contentIdOf(message);
  if (kept === undefined) return undefined;
  const { text, entities, caption, caption_entities } = message;
  return hashOf([...kept, text ?? caption, entities ?? caption_entities]);
}

export function hashOf(content: unknown): string {
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
