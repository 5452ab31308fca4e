import type { Link } from '../accounts/links.ts';
import type { Words } from '../i18n/texts.ts';
import type { View } from '../i18n/view.ts';
import { callbackData } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import type { Rental } from '../rental-api/client.ts';
import type { Outcome } from '../rental-api/http.ts';
import { readProblem, withAccount } from './accounts.ts';
import type { Feature, FeatureDeps, Handler } from './feature.ts';
import { show } from './reply.ts';

/** Maximum time that a handler waits for the service, in milliseconds. The user can try again. */
const READ_TIMEOUT_MS = 5_000;

/**
 * Creates a feature that reads something of the linked account and shows it. A user without an account sees how to link
 * one. A failed read is explained, with *Try again*.
 *
 * @example
 * export const depositFeature = defineFeature((deps) =>
 *   screen(deps, { name: 'deposit', read: (rental, apiKey) => rental.depositInfo(apiKey), view: depositCard });
 */
export function screen<Value>(
  deps: FeatureDeps,
  about: Pick<Feature, 'name' | 'menu' | 'command' | 'buttons'> & {
    /** Button that shows the screen, for *Try again*. Default: `open`. */
    retryButton?: string;
    read(rental: Rental, apiKey: string): Promise<Outcome<Value>>;
    view(words: Words, value: Value, link: Link & { user: number }): View | Promise<View>;
  },
): Feature & { open: Handler } {
  const { read, view, retryButton = 'open', ...feature } = about;
  return {
    ...feature,
    open: (ctx) =>
      withAccount(deps, ctx, async ({ user, apiKey }, link) => {
        const outcome = await orTimeout(read(deps.rental, apiKey), READ_TIMEOUT_MS);
        const again = callbackData(feature.name, retryButton);
        await show(
          ctx,
          outcome?.kind === 'accepted'
            ? await view(ctx.words, outcome.value, { ...link, user })
            : readProblem(ctx.words, { tail: link.tail, again }, outcome),
        );
      }),
  };
}
