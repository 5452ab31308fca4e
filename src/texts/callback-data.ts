/** What a button carries: which feature hears the tap, which of its buttons it is, and what it is about. */
export interface CallbackData {
  feature: string;
  button: string;
  argument: string;
  /** Token of a button that changes something (`bot/button-tokens.ts`). */
  token: string | undefined;
}

/** Telegram takes at most 64 bytes (https://core.telegram.org/bots/api#inlinekeyboardbutton). */
export function callbackData(feature: string, button: string, argument?: string | number): string {
  return [feature, button, argument].filter((part) => part !== undefined).join(':');
}

const BELOW = '+';

/** The same for a button of a message that stays as it is: what it leads to is shown below. */
export function shownBelow(data: string): string {
  return `${BELOW}${data}`;
}

export function isShownBelow(data: string): boolean {
  return data.startsWith(BELOW);
}

const TOKEN = '~';

/** Appends the token of a button that changes something. */
export function withToken(data: string, token: string): string {
  return `${data}${TOKEN}${token}`;
}

/** `undefined` for whatever no button of a feature carries. */
export function readCallbackData(data: string): CallbackData | undefined {
  const [, feature, button, argument = '', token] =
    /^\+?([a-z][a-z-]*):([a-z][a-z-]*)(?::([\w-]{1,40}))?(?:~([\w-]{20}))?$/.exec(data) ?? [];
  return feature === undefined || button === undefined ? undefined : { feature, button, argument, token };
}

const ANSWER = 'answer=';

/** An answer within a flow: meant for the flow's present question alone. */
export function answerData(value: string): string {
  return `${ANSWER}${value}`;
}

/** The answer that a button carries; `undefined` if it is no answer to a question. */
export function readAnswer(data: string | undefined): string | undefined {
  return data?.startsWith(ANSWER) ? data.slice(ANSWER.length) : undefined;
}
