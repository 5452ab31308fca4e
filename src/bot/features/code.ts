import type { TextKey } from '../../texts/keys.ts';
import { awaitNoCode, CODE_INPUT, mayBeCodes } from '../await-code.ts';
import type { BotContext } from '../context.ts';
import { send } from '../reply.ts';
import type { CreateFeature } from './feature.ts';

/** As authenticators write them, alone or in two groups. */
const CODE = /^\s*(\d{3,4})[ \u00a0]?(\d{3,4})\s*$/;

/**
 * The one-time code of an operation that waits for it. It comes by the one way that secrets have, is kept sealed until the
 * request a moment later, and is part of nothing else.
 */
export const createCode: CreateFeature = ({ operations, carryOut, now }) => {
  const { decisions, codes } = operations;
  const say = (ctx: BotContext, key: TextKey) => send(ctx, { html: ctx.words.html(key), keyboard: [] });

  return {
    name: CODE_INPUT,
    secretInput: {
      async take(ctx, secret) {
        const { code: id } = ctx.session;
        if (ctx.from === undefined || id === undefined) return;
        const [, left, right] = CODE.exec(secret ?? '') ?? [];
        if (left === undefined || right === undefined) return say(ctx, 'code-not-digits');
        const ref = { user: ctx.from.id, id };
        const decision = await decisions.withCode(ref);
        awaitNoCode(ctx, ref);
        mayBeCodes({ now }, ctx);
        if (decision.kind !== 'claim') {
          return say(ctx, decision.kind === 'expired' ? 'code-late' : 'code-decided');
        }
        ctx.tx.signal.throwIfAborted();
        // Before the claim: who carries it out finds it.
        await codes.keep(ref, `${left}${right}`);
        ctx.tx.claim(decision.claim);
        ctx.tx.afterCommit(async () => carryOut(decision.claimed));
      },
      explain: (ctx) => say(ctx, 'code-question'),
      exposed: (ctx) => say(ctx, 'code-exposed'),
    },
  };
};
