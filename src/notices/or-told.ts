import type { Log } from '../log.ts';
import type { Sent } from '../telegram/sender.ts';

interface About {
  user: number;
  log: Log;
}

/** A new message that may have come counts as told: an edit can be made twice, but of messages each one counts. */
export function orTold(sent: Sent, { user, log }: About): Sent {
  if (sent.kind !== 'unclear') return sent;
  log.warn({ user, reason: sent.reason }, 'nobody knows whether this news came');
  return { kind: 'unchanged' };
}
