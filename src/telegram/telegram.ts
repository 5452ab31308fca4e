import { Api, type Transformer } from 'grammy';
import type { Connect } from '../platform/connect.ts';
import type { Log } from '../platform/log.ts';
import type { RecentCalls } from '../platform/recent-calls.ts';
import { createCopier } from './copier.ts';
import { createTelegramFetch } from './fetch.ts';
import { createOutgoing } from './rate-limiter.ts';
import { createChatHolds, createSender } from './sender.ts';

/** Longer than a long poll of 30 s. */
const API_TIMEOUT_S = 50;

/** Creates the Bot API clients. `client` is for replies to updates, `sender` and `copier` for other messages. */
export function createTelegram(deps: {
  token: string;
  apiRoot: string;
  /** Records the result of every call. */
  calls: Pick<RecentCalls, 'note'>;
  now: () => number;
  log: Log;
  /** Used instead of a pool of connections. */
  connect?: Connect | undefined;
}) {
  const { token, apiRoot, calls, now, log, connect } = deps;
  const outgoing = createOutgoing({ now });
  const holds = createChatHolds({ now });
  const { called } = outgoing;
  const { delivered } = holds;
  const { fetch, fetchOnce, close } = createTelegramFetch({
    ...{ log, apiRoot, calls, called, delivered, now, connect },
  });
  const options = { apiRoot, timeoutSeconds: API_TIMEOUT_S };
  const api = new Api(token, { ...options, fetch: fetchOnce });
  return {
    client: { ...options, fetch },
    sender: createSender({ api, holds, now }),
    copier: createCopier({ api, holds, now }),
    /** Installs a transformer of all calls that the sender and the copier make. */
    use: (transformer: Transformer) => api.config.use(transformer),
    outgoing,
    close,
  };
}
