import { Api, type Transformer } from 'grammy';
import type { Connect } from '../connect.ts';
import type { Log } from '../log.ts';
import type { RecentCalls } from '../recent-calls.ts';
import { createChatHolds } from './chat-holds.ts';
import { createCopier } from './copier.ts';
import { createTelegramFetch } from './fetch.ts';
import { createOutgoing } from './outgoing.ts';
import { createSender } from './sender.ts';

/** Above Telegram's long polls of 30 s. */
const API_TIMEOUT_S = 50;

/** The Bot API as we use it: `client` is for what answers updates, the others for what is sent outside of them. */
export function createTelegram(deps: {
  token: string;
  apiRoot: string;
  /** Is told of every call what became of it. */
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
