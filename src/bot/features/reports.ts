import { orTimeout } from '../../or-timeout.ts';
import type { Rental } from '../../rental/client.ts';
import { reportsQuestion } from '../../texts/reports-question.ts';
import type { Words } from '../../texts/texts.ts';
import { notice } from '../../texts/view.ts';
import { show } from '../reply.ts';
import { withAccount } from '../with-account.ts';
import type { CreateFeature } from './feature.ts';

const WITHIN_MS = 6_000;
const REASON_LENGTH = 200;
/** A shorter secret could be guessed, and then everybody's word would be the service's. */
const SECRET_LENGTH = 16;

/** The service's events of the account: asked for, since they replace the one URL that an account has. */
export const createReports: CreateFeature = (deps) => {
  const { hooks, rental, hookUrl } = deps;
  return {
    name: 'reports',
    open: (ctx) => withAccount(deps, ctx, () => show(ctx, reportsQuestion(ctx.words))),
    buttons: {
      on: (ctx) =>
        withAccount(deps, ctx, async ({ account, apiKey }) => {
          if (hookUrl === undefined) {
            ctx.toast = ctx.words.plain('toast-over');
            return;
          }
          const hook = hooks.invent();
          const configured = await orTimeout(rental.configureWebhook(apiKey, hookUrl(hook)), WITHIN_MS);
          ctx.tx.signal.throwIfAborted();
          if (configured?.kind === 'accepted' && isStrong(configured.value)) {
            await hooks.activate(hook, account, configured.value.secret);
          }
          await show(ctx, notice(ctx.words, said(ctx.words, configured)));
        }),
      off: (ctx) =>
        withAccount(deps, ctx, async ({ account }) => {
          ctx.tx.signal.throwIfAborted();
          await hooks.deactivate(account);
          await show(ctx, notice(ctx.words, ctx.words.html('reports-off')));
        }),
      later: (ctx) => show(ctx, notice(ctx.words, ctx.words.html('reports-later'))),
    },
  };
};

function said(words: Words, outcome: Awaited<ReturnType<Rental['configureWebhook']>> | undefined): string {
  switch (outcome?.kind) {
    case 'accepted':
      return words.html(isStrong(outcome.value) ? 'reports-on' : 'reports-weak');
    case 'rejected':
    case 'not-sent':
      return words.html('reports-refused', { reason: outcome.message.slice(0, REASON_LENGTH) });
    default:
      return words.html('reports-unclear');
  }
}

function isStrong({ secret }: { secret: string }): boolean {
  return secret.length >= SECRET_LENGTH;
}
