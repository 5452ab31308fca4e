/** A tap of a person on a button, and how it was answered; judged once everything is quiet. */
export interface Tap {
  chat: number;
  at: number;
  /** When the person did the next thing: what came until then may be an answer to this. */
  until: number;
  label: string;
  message: number;
  /** What the message said by then. */
  text: string;
  /** Whether the button was there by then. */
  isLive: boolean;
  /** The operation whose card it was on. */
  operation?: string | undefined;
  callback: string;
  update: number | null;
}

export interface Acts {
  taps: Tap[];
  /** How many purchases were begun and how many were given up for want of an answer. */
  begun: number;
  givenUp: number;
}
