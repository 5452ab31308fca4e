/** A user's tap on a button and the bot's response to it. Judged after each round. */
export interface Tap {
  chat: number;
  at: number;
  /** Time of the user's next action. A message before it may be the response to this tap. */
  until: number;
  label: string;
  message: number;
  /** Text of the message at the time of the tap. */
  text: string;
  /** Whether the message still had the button at the time of the tap. */
  isLive: boolean;
  /** Operation of the tapped card. */
  operation?: string | undefined;
  callback: string;
  update: number | null;
}

export interface Acts {
  taps: Tap[];
  /** Number of purchases that were started, and of those given up because of a missing response. */
  begun: number;
  givenUp: number;
}
