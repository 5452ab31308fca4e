import { z } from 'zod';
import { badRequest } from './bot-api-error.ts';
import { readLink } from './links.ts';

const button = z.looseObject({
  text: z.string().optional(),
  style: z.string().optional(),
  url: z.string().optional(),
  callback_data: z.string().optional(),
  copy_text: z.looseObject({ text: z.string() }).optional(),
  web_app: z.looseObject({ url: z.string() }).optional(),
  pay: z.boolean().optional(),
});

export type Button = z.output<typeof button>;
export type InlineKeyboard = Button[][];

const ACTIONS = [
  'url',
  'callback_data',
  'copy_text',
  'web_app',
  'login_url',
  'switch_inline_query',
  'switch_inline_query_current_chat',
  'switch_inline_query_chosen_chat',
  'callback_game',
  'pay',
  'disabled',
];

const markup = z.looseObject({ inline_keyboard: z.unknown().optional() });
const rows = z.array(z.array(z.unknown()));

/**
 * Parses the inline keyboard of a `reply_markup`. Returns undefined if it is missing or empty.
 * Reply keyboards are accepted with new messages only, and ignored.
 * @throws BotApiError for keyboards that Telegram refuses, and for buttons with two actions (Telegram would pick one)
 */
export function readKeyboard(value: unknown, isEdit = false): InlineKeyboard | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const parsed = markup.safeParse(value);
  if (!parsed.success) throw badRequest('object expected as reply markup');
  if (!('inline_keyboard' in parsed.data)) {
    if (isEdit) throw badRequest('inline keyboard expected');
    const isReplyMarkup = ['keyboard', 'remove_keyboard', 'force_reply'].some((key) => key in parsed.data);
    if (!isReplyMarkup && Object.keys(parsed.data).length > 0) {
      throw badRequest('object expected as reply markup');
    }
    return undefined;
  }
  const given = rows.safeParse(parsed.data.inline_keyboard);
  if (!given.success) throw badRequest('field "inline_keyboard" must be of type Array');
  const keyboard = given.data.map((row) => row.map(checkButton)).filter((row) => row.length > 0);
  if (keyboard.flat().length > 100) throw badRequest('REPLY_MARKUP_TOO_LONG');
  return keyboard.length > 0 ? keyboard : undefined;
}

function checkButton(value: unknown): Button {
  const cannot = (problem: string) => badRequest(`can't parse inline keyboard button: ${problem}`);
  const parsed = button.safeParse(value);
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.');
    throw cannot(field ? `Field "${field}" has a wrong type` : 'InlineKeyboardButton must be an Object');
  }
  const { text, style, url, callback_data, copy_text, web_app, pay } = parsed.data;
  if (text === undefined) throw cannot('Can\'t find field "text"');
  if (text.trim() === '') throw badRequest('inline keyboard button text must be non-empty');
  const actions = ACTIONS.filter((action) => parsed.data[action] !== undefined && parsed.data[action] !== '');
  if (actions.length === 0) throw cannot('Text buttons are unallowed in the inline keyboard');
  if (actions.length > 1) throw cannot(`exactly one action is needed, not ${actions.join(' and ')}`);
  if (style !== undefined && !['danger', 'success', 'primary'].includes(style)) {
    throw badRequest('BUTTON_STYLE_INVALID');
  }
  if (callback_data && Buffer.byteLength(callback_data) > 64) throw badRequest('BUTTON_DATA_INVALID');
  if (copy_text && (copy_text.text === '' || copy_text.text.length > 256)) {
    throw badRequest('BUTTON_COPY_TEXT_INVALID');
  }
  if (web_app && !web_app.url.startsWith('https://')) {
    throw badRequest(
      `inline keyboard button Web App URL '${web_app.url}' is invalid: Only HTTPS links are allowed`,
    );
  }
  if (pay) throw badRequest('BUTTON_TYPE_INVALID');
  if (!url) return parsed.data;
  const link = readLink(url);
  if (!link.ok) throw badRequest(`inline keyboard button URL '${url}' is invalid: ${link.problem}`);
  return { ...parsed.data, url: link.url };
}
