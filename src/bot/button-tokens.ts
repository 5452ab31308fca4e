import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Transformer } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { readCallbackData, withToken } from '../i18n/view.ts';
import type { Storage } from '../platform/storage.ts';
import { keyOf, type StoredData } from '../platform/stored-data.ts';
import type { Feature } from './feature.ts';
import { CHAT, CONVERSATION } from './session.ts';

/** Tokens of tapped buttons. The keys name no user, so a used button stays used after *Forget me*. */
const USED_BUTTON = {
  keys: 'button-used:token',
  content: 'A button that changes something was tapped, and by which update',
  expiry: 'an hour after the button expires: 61 days at most',
} as const satisfies StoredData;

/** Extra lifetime of a used token beyond its expiry, because the clocks of replicas differ. */
const MARGIN_MS = 3600_000;

/** Data that the chat engine stores. */
export const BOT_DATA: readonly StoredData[] = [CHAT, CONVERSATION, USED_BUTTON];

/** A token consists of its expiry (seconds since 1970), random bytes and a MAC, in 20 characters of base64url. */
const EXPIRY_BYTES = 4;
const RANDOM_BYTES = 3;
const MAC_BYTES = 8;
const NONCE_BYTES = EXPIRY_BYTES + RANDOM_BYTES;

/** Telegram refuses a message with longer callback data. All data is ASCII. */
const MAX_DATA_LENGTH = 64;

/**
 * Tokens of the buttons that change something. A thief of the bot's token can send any label with any callback data, but
 * can't make the token that such a button needs without `SECRET_KEY`.
 *
 * The MAC is an HMAC-SHA256, cut to 64 bits, over chat, feature, button, argument, expiry and random bytes. Showing a
 * button stores nothing, so messages sent outside of updates can have tokens too. A tap stores that the token is used.
 *
 * @example
 * api.config.use(tokens.sign);
 * if (!(await tokens.redeem({ chat, update, data }))) ctx.toast = expired;
 */
export interface ButtonTokens {
  /** Adds a token to each button that changes something, in every keyboard that is sent or edited. */
  sign: Transformer;
  /**
   * Returns whether a tap may be handled, and uses up its token. The same update may redeem the token again, because it
   * may have failed after the first time; any other update may not. A button that changes nothing needs no token.
   */
  redeem(tap: { chat: number; update: number; data: string }): Promise<boolean>;
}

/** @param deps.keys 32 bytes each, newest first: the newest signs, all verify. */
export function createButtonTokens(deps: {
  keys: readonly Uint8Array[];
  storage: Pick<Storage, 'add'>;
  features: () => readonly Feature[];
  /** Epoch milliseconds. */
  now: () => number;
}): ButtonTokens {
  const { keys, storage, features, now } = deps;
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('at least one key is needed');

  /** Lifetime of a button that changes something; `undefined` for any other. */
  function ttlOf({ feature: name, button }: { feature: string; button: string }): number | undefined {
    const { buttons = {} } = features().find((feature) => feature.name === name) ?? {};
    const found = Object.hasOwn(buttons, button) ? buttons[button] : undefined;
    return typeof found === 'object' && 'changes' in found ? found.ttlMs : undefined;
  }

  function signed(chat: number, button: InlineKeyboardButton): InlineKeyboardButton {
    const named = 'callback_data' in button ? readCallbackData(button.callback_data) : undefined;
    const ttlMs = named && ttlOf(named);
    if (!('callback_data' in button) || named === undefined || ttlMs === undefined) return button;
    const nonce = randomBytes(NONCE_BYTES);
    nonce.writeUInt32BE(Math.floor((now() + ttlMs) / 1000));
    const token = Buffer.concat([nonce, mac(newest as Uint8Array, chat, named, nonce)]).toString('base64url');
    const data = withToken(button.callback_data, token);
    // An expired button is better than a message that Telegram refuses.
    return data.length > MAX_DATA_LENGTH ? button : { ...button, callback_data: data };
  }

  return {
    sign(call, method, payload, signal) {
      const { chat_id: chat, reply_markup: markup } = payload as Outgoing;
      if (typeof chat !== 'number' || markup?.inline_keyboard === undefined)
        return call(method, payload, signal);
      const keyboard = markup.inline_keyboard.map((row) => row.map((one) => signed(chat, one)));
      return call(method, { ...payload, reply_markup: { ...markup, inline_keyboard: keyboard } }, signal);
    },
    async redeem({ chat, update, data }) {
      const named = readCallbackData(data);
      if (named === undefined || ttlOf(named) === undefined) return true;
      const { token } = named;
      if (token === undefined) return false;
      const bytes = Buffer.from(token, 'base64url');
      const [nonce, given] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      if (!keys.some((key) => timingSafeEqual(mac(key, chat, named, nonce), given))) return false;
      const leftMs = nonce.readUInt32BE() * 1000 - now();
      if (leftMs <= 0) return false;
      // Also true if this update has added it before.
      return storage.add(keyOf(USED_BUTTON.keys, { token }), String(update), { ttlMs: leftMs + MARGIN_MS });
    },
  };
}

interface Outgoing {
  chat_id?: number | string;
  reply_markup?: { inline_keyboard?: InlineKeyboardButton[][] };
}

function mac(
  key: Uint8Array,
  chat: number,
  { feature, button, argument }: { feature: string; button: string; argument: string },
  nonce: Uint8Array,
): Buffer {
  const named = createHmac('sha256', key).update(`${chat}:${feature}:${button}:${argument}`).update(nonce);
  return named.digest().subarray(0, MAC_BYTES);
}
