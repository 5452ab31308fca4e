import { isDeepStrictEqual } from 'node:util';
import { GrammyError, InputFile } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import type { TextKey } from '../i18n/keys.ts';
import { htmlToPlainText, lines, paragraphs, type Variables } from '../i18n/texts.ts';
import { CARD_BUTTONS } from '../operations/card.ts';
import { orTimeout } from '../platform/async.ts';
import { readFault } from '../telegram/fetch.ts';
import { isReplyBelow, readCallbackData, withoutToken } from '../views/callback-data.ts';
import { type View, withMenuButton } from '../views/view.ts';
import type { BotContext } from './context.ts';

/** Much shorter than the time limit of a handler. */
const PHOTO_TIMEOUT_MS = 3_000;
const PICTURE_NAME = 'code.png';
const FILE_TIMEOUT_MS = 5_000;

/** Shows a view in the tapped message, or in a new one if the tapped one must stay. Returns the message's id. */
export async function show(ctx: BotContext, view: View): Promise<number> {
  const tapped = tappedScreen(ctx);
  if (tapped === undefined || view.photo) return send(ctx, view);
  const shown = takeHeaders(ctx)(view);
  const editing = edit(ctx, tapped, shown);
  ctx.answerTap();
  return (await editing) ? tapped : send(ctx, shown);
}

/** Adds a line to the text above the next view. */
export function addHeader(ctx: BotContext, html: string): void {
  ctx.headerHtml = lines(ctx.headerHtml, html);
}

/**
 * Shows a view like `show`, and edits the message once `next` resolves to another view. Nothing waits for that. The edit
 * is left out if the user has done something in the chat since.
 */
export async function showThenRefresh(
  ctx: BotContext,
  view: View,
  next: Promise<View | undefined>,
): Promise<void> {
  const withHeader = takeHeaders(ctx);
  const showing = show(ctx, withHeader(view));
  const prepare = async () => {
    const [changed, message] = await Promise.all([next, showing]);
    if (changed === undefined || isDeepStrictEqual(changed, view)) return undefined;
    return () => edit(ctx, message, withHeader(changed));
  };
  ctx.tx.refresh(prepare());
  await showing;
}

/** Shows a text with a menu button, below the other rows of buttons. */
export async function showText(
  ctx: BotContext,
  html: string,
  ...rows: InlineKeyboardButton[][]
): Promise<number> {
  return show(ctx, withMenuButton(ctx.words, html, ...rows));
}

/** Shows a short text over the chat, in response to the tap that is handled. */
export function showToast(ctx: BotContext, key: TextKey, variables?: Variables): void {
  ctx.toast = ctx.words.plain(key, variables);
}

export async function send(ctx: BotContext, view: View, replyTo?: number): Promise<number> {
  const reply = replyTo !== undefined && {
    reply_parameters: { message_id: replyTo, allow_sending_without_reply: true },
  };
  const shown = takeHeaders(ctx)(view);
  const { html, photo } = shown;
  const options = { ...format(shown), ...reply };
  const sendPhoto = (picture: Buffer) =>
    ctx
      .replyWithPhoto(new InputFile(picture, PICTURE_NAME), { caption: html, ...options })
      .catch(() => undefined);
  // If the photo isn't sent in time, only the text is sent. It contains the same information.
  const sendText = () => ctx.reply(html, options);
  const sending = photo ? orTimeout(sendPhoto(photo), PHOTO_TIMEOUT_MS) : sendText();
  ctx.answerTap();
  const sent = (await sending) ?? (await sendText());
  ctx.lastSent = sent.message_id;
  return sent.message_id;
}

/** Sends a text file as a new message. Returns whether Telegram accepted it in time. */
export async function sendFile(
  ctx: BotContext,
  { name, text }: { name: string; text: string },
  html: string,
): Promise<boolean> {
  const sending = ctx.replyWithDocument(new InputFile(Buffer.from(text), name), {
    caption: html,
    parse_mode: 'HTML',
  });
  return (await orTimeout(sending, FILE_TIMEOUT_MS)) !== undefined;
}

/**
 * Sends a picture, or only its text if refused. Waits without a time limit, because the caller needs the message's id to
 * remove the message later.
 */
export async function sendPicture(
  ctx: BotContext,
  view: View & { photo: Buffer },
): Promise<{ message: number; isText?: true }> {
  const { html: caption, photo, keyboard } = takeHeaders(ctx)(view) as typeof view;
  const options = { parse_mode: 'HTML', reply_markup: { inline_keyboard: keyboard } } as const;
  try {
    const sent = await ctx.replyWithPhoto(new InputFile(photo, PICTURE_NAME), { caption, ...options });
    return { message: sent.message_id };
  } catch (error) {
    const fault = readFault(error);
    // 403 and 429 are about the chat, not the picture.
    if (fault.kind !== 'refused' || fault.status === 403 || fault.status === 429) throw error;
    const sent = await ctx.reply(caption, { ...options, link_preview_options: { is_disabled: true } });
    return { message: sent.message_id, isText: true };
  }
}

/** Replaces a message's content. Returns whether it shows the view now; some can't be edited. */
export async function edit(ctx: BotContext, message: number, view: View): Promise<boolean> {
  const isTapped = ctx.callbackQuery?.message?.message_id === message;
  const isShown =
    (isTapped && ctx.tappedIsReplaced !== true && tappedShows(ctx, view)) ||
    (await isAccepted(ctx.api.editMessageText(ctx.chat.id, message, view.html, format(view))));
  if (isTapped && isShown) ctx.tappedIsReplaced = true;
  return isShown;
}

/** Returns whether this update has shown something in place of a message. */
export function isReplaced({ callbackQuery, tappedIsReplaced }: BotContext, message: number): boolean {
  return tappedIsReplaced === true && callbackQuery?.message?.message_id === message;
}

/** Deletes a message or, if Telegram refuses, shows `instead` there. Returns whether the old content is gone. */
export async function remove(ctx: BotContext, message: number, instead: View): Promise<boolean> {
  const isGone = await isAccepted(ctx.api.deleteMessage(ctx.chat.id, message));
  return isGone || edit(ctx, message, instead);
}

/** Removes the tapped button, and its row if nothing else is in it. Keeps everything else of the message. */
export async function removeTappedButton(ctx: BotContext): Promise<void> {
  await replaceTappedButton(ctx, () => []);
}

/** Removes all buttons of the tapped message, unless this update has shown something else there. Keeps its text. */
export async function removeTappedButtons(ctx: BotContext): Promise<void> {
  const message = ctx.callbackQuery?.message;
  if (message === undefined || isReplaced(ctx, message.message_id)) return;
  const markup = { reply_markup: { inline_keyboard: [] } };
  await isAccepted(ctx.api.editMessageReplyMarkup(ctx.chat.id, message.message_id, markup));
}

/** Gives the tapped button a new token, so that it can be tapped again. Keeps everything else of the message. */
export async function renewTappedButton(ctx: BotContext): Promise<void> {
  await replaceTappedButton(ctx, (tapped) => [
    { ...tapped, callback_data: withoutToken(tapped.callback_data) },
  ]);
}

async function replaceTappedButton(
  ctx: BotContext,
  replacement: (tapped: InlineKeyboardButton.CallbackButton) => InlineKeyboardButton[],
): Promise<void> {
  const { data, message } = ctx.callbackQuery ?? {};
  if (message === undefined || !('reply_markup' in message)) return;
  const rows = message.reply_markup?.inline_keyboard ?? [];
  const changed = rows.map((row) =>
    row.flatMap((one) => ('callback_data' in one && one.callback_data === data ? replacement(one) : one)),
  );
  const markup = { reply_markup: { inline_keyboard: changed.filter((row) => row.length > 0) } };
  await isAccepted(ctx.api.editMessageReplyMarkup(ctx.chat.id, message.message_id, markup));
}

/** Returns whether the tapped message really has the tapped button. A modified client can send any data. */
export function hasTappedButton(ctx: BotContext): boolean {
  const data = ctx.callbackQuery?.data;
  return data !== undefined && buttonDataOf(ctx).includes(data);
}

/** Returns the tapped message if it has the tapped button and may be replaced. */
function tappedScreen(ctx: BotContext): number | undefined {
  if (!hasTappedButton(ctx) || ctx.hasSentBelow) return undefined;
  const stays = buttonDataOf(ctx).some(
    (data) => readCallbackData(data)?.feature === CARD_BUTTONS || isReplyBelow(data),
  );
  const message = ctx.callbackQuery?.message;
  const isPhoto = message !== undefined && 'photo' in message;
  return stays || isPhoto ? undefined : message?.message_id;
}

/** Links and times, whose values can change while their text stays the same. */
const HAS_HIDDEN_VALUES = /<(a|tg-time)\s/;

/** Returns whether the tapped message already shows this view, according to the data of the tap. */
function tappedShows({ callbackQuery: tap }: BotContext, { html, keyboard }: View): boolean {
  const message = tap?.message;
  if (message === undefined || !('text' in message) || HAS_HIDDEN_VALUES.test(html)) return false;
  const buttons = message.reply_markup?.inline_keyboard ?? [];
  return message.text === htmlToPlainText(html).trim() && isDeepStrictEqual(buttons, keyboard);
}

/** Returns the data of all buttons of the tapped message. */
export function buttonDataOf({ callbackQuery: tap }: BotContext): string[] {
  const message = tap?.message;
  if (message === undefined || !('reply_markup' in message)) return [];
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  return buttons.flatMap((one) => ('callback_data' in one ? one.callback_data : []));
}

export function takeHeader(ctx: BotContext): string | undefined {
  const { headerHtml } = ctx;
  delete ctx.headerHtml;
  return headerHtml;
}

/** Removes the header, the footer and their buttons from the context. Returns a function that adds them to a view. */
function takeHeaders(ctx: BotContext): (view: View) => View {
  const { headerButtons = [], footer } = ctx;
  const header = takeHeader(ctx);
  delete ctx.headerButtons;
  delete ctx.footer;
  return (view) => ({
    ...view,
    html: paragraphs(header, view.html, footer?.html),
    keyboard: usableRows(ctx, [headerButtons, ...view.keyboard.toSpliced(-1, 0, footer?.buttons ?? [])]),
  });
}

/** Returns the rows without buttons that the user may not tap, and without empty ones. */
function usableRows({ isUsable }: BotContext, rows: View['keyboard']): View['keyboard'] {
  return rows
    .map((row) => row.filter((one) => !('callback_data' in one) || isUsable?.(one.callback_data) !== false))
    .filter((row) => row.length > 0);
}

function format({ keyboard }: View) {
  return {
    parse_mode: 'HTML' as const,
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: keyboard },
  };
}

/** Returns whether Telegram accepts the call or the message already has this content. Rethrows errors other than refusals. */
async function isAccepted(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof GrammyError && error.error_code === 400)
      return error.description.includes('message is not modified');
    throw error;
  }
}
