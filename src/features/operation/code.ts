import type { BotContext } from '../../bot/context.ts';
import { CLOSED_CODE, defineFeature } from '../../bot/feature.ts';
import {
  CODE_INPUT,
  removeCodeReply,
  replyToCode,
  stopExpectingCode,
  treatNumbersAsCodes,
} from '../../bot/operation-card.ts';
import type { TextKey } from '../../i18n/keys.ts';
import { periodVariables } from '../../i18n/texts.ts';
import { parseOneTimeCode } from '../../input/secret-text.ts';
import type { CodeDecision } from '../../operations/confirm.ts';
import type { SendQueue } from '../../operations/execute.ts';
import { SECOND_MS } from '../../platform/clock.ts';
import { type RepeatDeps, repeatAfterWrongCode } from './wrong-code.ts';

/** Replies to a code whose withdrawal can't be claimed any more; `code-decided` to all others. */
const REPLIES: Partial<Record<CodeDecision['kind'], TextKey>> = {
  expired: 'code-late',
  void: 'operation-void',
  'expires-first': 'code-expires-first',
};

interface CodeDeps extends RepeatDeps {
  sendQueue: Pick<SendQueue, 'enqueueClaim'>;
}

/** Accepts one-time codes. A code stays in memory until the request, and is never stored. */
export const codeFeature = defineFeature((deps: CodeDeps) => {
  const { operations, paymentsGate, sendQueue, now } = deps;
  const { decisions } = operations;
  const reply = (ctx: BotContext, key: TextKey) => replyToCode(ctx, ctx.words.html(key));

  return {
    name: CODE_INPUT,
    secretInput: {
      isExpired: ({ session }) => session.code === undefined || now() >= session.code.until,
      async handle(ctx, secret) {
        const { from, session, message } = ctx;
        if (session.code === undefined || message === undefined) return;
        const digits = parseOneTimeCode(secret ?? '');
        if (digits === undefined) return reply(ctx, 'code-question');
        // The message is older than the card's request for a code, so its code is for another card.
        if (message.message_id < session.code.message) return reply(ctx, 'code-early');
        const sentAt = message.date * SECOND_MS;
        const ref = { user: from.id, id: session.code.operation };
        const closed = await paymentsGate.closedNow();
        const decision = await decisions.withCode(ref, sentAt);
        treatNumbersAsCodes(deps, ctx);
        // The code is still expected: the user can send a new one while the card is valid.
        if (closed && decision.kind === 'claim') return reply(ctx, CLOSED_CODE[closed.by]);
        if (decision.kind === 'code-old') return reply(ctx, 'code-old');
        if (decision.kind === 'too-early')
          return replyToCode(
            ctx,
            ctx.words.html('code-too-early', periodVariables(decision.from, decision.until)),
          );
        stopExpectingCode(ctx);
        if (decision.kind !== 'claim') return reply(ctx, REPLIES[decision.kind] ?? 'code-decided');
        removeCodeReply(ctx);
        ctx.tx.claim(decision.claim);
        ctx.tx.changeLater(async () => {
          await sendQueue.enqueueClaim(decision.claimed, { digits, sentAt });
          return repeatAfterWrongCode(deps, ctx, ref);
        });
      },
      explain: (ctx) => reply(ctx, 'code-question'),
      exposedText: 'code-exposed',
    },
  };
});
