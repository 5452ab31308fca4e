import type { Log } from '../log.ts';
import type { Sent } from '../telegram/sender.ts';

interface About {
  user: number;
  log: Log;
}

/** Whether a new message is to be sent once more. */
export function isUntold(sent: Sent, about: About): boolean {
  const { kind } = orTold(sent, about);
  return kind === 'later' || kind === 'failed';
}

/** A new message that may have come counts as told: an edit can be made twice, but of messages each one counts. */
export function orTold(sent: Sent, { user, log }: About): Sent {
  if (sent.kind !== 'unclear') return sent;
  log.warn({ user, reason: sent.reason }, 'nobody knows whether this news came');
  return { kind: 'unchanged' };
}
