/** Data of a button: its feature, its name within the feature, and an argument. */
export interface CallbackData {
  feature: string;
  button: string;
  argument: string;
  /** Token of a button that changes something (`ButtonTokens` in `bot/feature.ts`). */
  token: string | undefined;
}

/** Formats the data of a button. Telegram allows 64 bytes (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
export function callbackData(feature: string, button: string, argument?: string | number): string {
  return [feature, button, argument].filter((part) => part !== undefined).join(':');
}

const REPLY_BELOW_PREFIX = '+';

/** Marks data of a button whose message must stay unchanged. The result is shown in a new message below. */
export function replyBelow(data: string): string {
  return isReplyBelow(data) ? data : `${REPLY_BELOW_PREFIX}${data}`;
}

export function isReplyBelow(data: string): boolean {
  return data.startsWith(REPLY_BELOW_PREFIX);
}

const TOKEN_SEPARATOR = '~';

/** Appends the token of a button that changes something. */
export function withToken(data: string, token: string): string {
  return `${data}${TOKEN_SEPARATOR}${token}`;
}

/** Returns the data without its token. */
export function withoutToken(data: string): string {
  return data.split(TOKEN_SEPARATOR, 1).join();
}

/** Parses the data of a button. Returns `undefined` if it isn't a feature's. Buttons of earlier alerts are marked twice. */
export function readCallbackData(data: string): CallbackData | undefined {
  const [, feature, button, argument = '', token] =
    /^\+{0,2}([a-z][a-z-]*):([a-z][a-z-]*)(?::([\w-]{1,43}))?(?:~([\w-]{20}))?$/.exec(data) ?? [];
  return feature === undefined || button === undefined ? undefined : { feature, button, argument, token };
}

const ANSWER_PREFIX = 'answer=';

/** Formats an answer within a flow. It is valid only for the flow's current question. */
export function answerData(value: string): string {
  return `${ANSWER_PREFIX}${value}`;
}

/** Returns the answer in a button's data, or `undefined` if it isn't an answer to a question. */
export function readAnswer(data: string | undefined): string | undefined {
  return data?.startsWith(ANSWER_PREFIX) ? data.slice(ANSWER_PREFIX.length) : undefined;
}
