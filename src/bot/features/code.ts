import type { TextKey } from '../../texts/keys.ts';
import { awaitNoCode, CODE_INPUT, mayBeCodes } from '../await-code.ts';
import type { BotContext } from '../context.ts';
import { codeIn } from '../key-like.ts';
import { CLOSED_CODE } from '../nothing-new.ts';
import { send } from '../reply.ts';
import type { CreateFeature } from './feature-deps.ts';

/**
 * The one-time code of an operation that waits for it. It comes by the one way that secrets have, is kept sealed until the
 * request a moment later, and is part of nothing else.
 */
export const createCode: CreateFeature = (deps) => {
  const { operations, paymentsGate, carryOut, now } = deps;
  const { decisions, codes } = operations;
  const say = (ctx: BotContext, key: TextKey) => send(ctx, { html: ctx.words.html(key), keyboard: [] });

  return {
    name: CODE_INPUT,
    secretInput: {
      isOver: ({ session }) => session.code === undefined || now() >= session.code.until,
      async take(ctx, secret) {
        const { from, session, message } = ctx;
        if (from === undefined || session.code === undefined || message === undefined) return;
        const digits = codeIn(secret ?? '');
        if (digits === undefined) return say(ctx, 'code-not-digits');
        // Written before this card asked for one: it is another's.
        if (message.message_id < session.code.message) return say(ctx, 'code-unasked');
        const ref = { user: from.id, id: session.code.operation };
        const [closed, decision] = await Promise.all([paymentsGate.closedNow(), decisions.withCode(ref)]);
        mayBeCodes({ now }, ctx);
        // It is still waited for: a new one can be sent within its card's life.
        if (closed && decision.kind === 'claim') return say(ctx, CLOSED_CODE[closed.by]);
        awaitNoCode(ctx);
        if (decision.kind !== 'claim') {
          return say(ctx, decision.kind === 'expired' ? 'code-late' : 'code-decided');
        }
        ctx.tx.signal.throwIfAborted();
        // Before the claim: who carries it out finds it.
        await codes.keep(ref, digits);
        ctx.tx.claim(decision.claim);
        ctx.tx.afterCommit(async () => carryOut(decision.claimed));
      },
      explain: (ctx) => say(ctx, 'code-question'),
      exposed: (ctx) => say(ctx, 'code-exposed'),
    },
  };
};
