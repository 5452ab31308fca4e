import { z } from 'zod';
import { readJson } from '../storage/read-json.ts';
import type { Storage } from '../storage/storage.ts';
import type { Kinds } from './kinds/kinds.ts';
import type { Operation } from './operation.ts';

const sentSchema = z.object({ at: z.number() });

type Asked = Pick<Operation, 'account' | 'request'>;

/** How long the service wants to be left alone after a request of a kind, wrong ones included (specification, section 8). */
export interface Rests {
  /** Milliseconds until the account may ask again; 0 where it may now. */
  left(asked: Asked): Promise<number>;
  /** A request of it is about to be sent. */
  begin(asked: Asked): Promise<void>;
}

export function createRests({
  storage,
  kinds,
  now,
}: {
  storage: Pick<Storage, 'get' | 'set'>;
  kinds: Kinds;
  now: () => number;
}): Rests {
  const keyOf = ({ account, request }: Asked) => `rests:${account}:${request.kind}`;
  const restOf = ({ request }: Asked) => kinds.of(request).restMs ?? 0;
  return {
    async left(asked) {
      const rest = restOf(asked);
      if (rest === 0) return 0;
      const sent = readJson(sentSchema, await storage.get(keyOf(asked)));
      return sent === undefined ? 0 : Math.min(rest, Math.max(0, sent.at + rest - now()));
    },
    async begin(asked) {
      const rest = restOf(asked);
      if (rest > 0) await storage.set(keyOf(asked), JSON.stringify({ at: now() }), { ttlMs: rest });
    },
  };
}
