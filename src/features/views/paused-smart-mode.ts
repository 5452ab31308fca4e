import { payerOf } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { isPausedByUsers, smartMode } from '../../operations/kinds/smart-mode.ts';
import { orTimeout } from '../../platform/async.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View } from '../../views/view.ts';
import { limitList } from './leaving-account.ts';

const READ_TIMEOUT_MS = 1_500;

/**
 * Returns a view of the addresses whose Smart Mode the service has paused. Returns `undefined` if there are none or the
 * service doesn't respond in time.
 */
export async function pausedByServiceView(deps: FeatureDeps, ctx: BotContext): Promise<View | undefined> {
  const { words } = ctx;
  const payer = await payerOf(deps, ctx);
  if (payer === undefined) return undefined;
  const reading = payer.read((reads) => reads.subscriptions()).catch(() => undefined);
  const listed = await orTimeout(reading, READ_TIMEOUT_MS);
  const paused = listed?.kind === 'accepted' ? listed.value.filter(({ status }) => status === 'paused') : [];
  if (paused.length === 0) return undefined;
  const holders = await deps.links.holders(payer.account);
  const entries = await Promise.all(
    paused.map(async ({ id, address }) =>
      (await isPausedByUsers(deps.operations.history, holders, id))
        ? []
        : [words.html('smart-mode-paused-for', { address })],
    ),
  );
  const shown = entries.flat();
  if (shown.length === 0) return undefined;
  const list = button(words, 'button-smart-mode', callbackData(smartMode.name, 'open'));
  return { html: limitList(words, shown).join('\n'), keyboard: [[list]] };
}
