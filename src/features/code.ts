import type { BotContext } from '../bot/context.ts';
import type { CreateFeature } from '../bot/feature-deps.ts';
import { CLOSED_CODE } from '../bot/middleware/error-boundary.ts';
import { awaitNoCode, CODE_INPUT, mayBeCodes } from '../bot/open-card.ts';
import { send } from '../bot/reply.ts';
import { codeIn } from '../bot/secrets.ts';
import type { TextKey } from '../i18n/keys.ts';
import type { Decision } from '../operations/confirm.ts';

/** Replies to a code whose withdrawal can't be claimed any more; `code-decided` to all others. */
const REPLIES: Partial<Record<Decision['kind'], TextKey>> = { expired: 'code-late', void: 'operation-void' };

/**
 * Creates the feature that accepts the one-time code of an operation. The message is deleted first. The code stays in
 * memory until the request, and is never stored.
 */
export const createCode: CreateFeature = (deps) => {
  const { operations, paymentsGate, sendQueue, now } = deps;
  const { decisions } = operations;
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
        // The message is older than the card's request for a code, so its code is for another card.
        if (message.message_id < session.code.message) return say(ctx, 'code-early');
        const ref = { user: from.id, id: session.code.operation };
        const closed = await paymentsGate.closedNow();
        const decision = await decisions.withCode(ref);
        mayBeCodes({ now }, ctx);
        // The code is still expected: the user can send a new one while the card is valid.
        if (closed && decision.kind === 'claim') return say(ctx, CLOSED_CODE[closed.by]);
        awaitNoCode(ctx);
        if (decision.kind !== 'claim') return say(ctx, REPLIES[decision.kind] ?? 'code-decided');
        ctx.tx.claim(decision.claim);
        ctx.tx.afterCommit(async () => void sendQueue.add(decision.claimed, digits));
      },
      explain: (ctx) => say(ctx, 'code-question'),
      exposed: 'code-exposed',
    },
  };
};
