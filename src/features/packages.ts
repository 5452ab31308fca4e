import { BigNumber } from 'bignumber.js';
import { readProblem, withAccount } from '../bot/accounts.ts';
import type { BotContext } from '../bot/context.ts';
import { showFlowEnded } from '../bot/conversations.ts';
import { type DialogueState, dialogue, dialogueStateSchema, FLOW_ENDS } from '../bot/dialogue.ts';
import { type ButtonHandler, defineFeature, type Handler } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { screen } from '../bot/screen.ts';
import { parseWholeNumber, wholeNumberStep } from '../bot/steps/amounts.ts';
import { formatCount } from '../i18n/formats.ts';
import type { Words } from '../i18n/texts.ts';
import { button, callbackData, lines, paragraphs, type View, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import { PACKAGE_SIZE_MAX, PACKAGE_SIZE_MIN } from '../rental-api/amounts.ts';
import type { PackageTiers } from '../rental-api/schemas.ts';

const NAME = 'packages';
const SIZE = 'size';
/** Button that calculates a size again that was answered before. */
const AGAIN = 'of';
/** Step after the question. */
const WORKED_OUT = 'worked-out';
const WITHIN_MS = 5_000;
/** Maximum number of tiers in a message. */
const MAX_TIERS = 20;

/** Lasts for one update only, because the answer is used at once. */
type State = DialogueState & { size?: number };

/**
 * Creates the feature that shows prices of prepaid packages of transfers: of each size that the service lists, and of
 * another size. The service's interface can't buy packages and doesn't report bought ones (section 2), so this feature
 * doesn't either.
 */
export const packagesFeature = defineFeature((deps) => {
  const { rental, accountUrl } = deps;

  const listed = screen(deps, {
    name: NAME,
    // Merchants have more buttons below *More*, so theirs is in another menu.
    menu: { button: 'button-packages', place: 'more', for: 'linked', merchants: 'balance' },
    command: { name: 'packages', text: 'command-packages' },
    read: (service, apiKey) => service.packageTiers(apiKey),
    view: (words, tiers) => tiersView(words, tiers, accountUrl),
  });

  /** Shows what a package of this size would cost, as far as the tiers determine it. */
  const workOut = (ctx: BotContext, size: number) =>
    withAccount(deps, ctx, async ({ apiKey }, { tail }) => {
      const { words } = ctx;
      const outcome = await orTimeout(rental.packageTiers(apiKey), WITHIN_MS);
      if (outcome?.kind === 'accepted')
        return show(ctx, customView(words, outcome.value, { size, accountUrl }));
      return show(ctx, readProblem(words, { tail, again: callbackData(NAME, AGAIN, size) }, outcome));
    });

  /** Calculates the same size again, after its prices couldn't be read. */
  const workOutAgain: ButtonHandler = async (ctx, argument) => {
    const size = parseWholeNumber(argument);
    if (size !== undefined && size >= PACKAGE_SIZE_MIN && size <= PACKAGE_SIZE_MAX) await workOut(ctx, size);
    else ctx.toast = ctx.words.plain('toast-over');
  };

  const ask: Handler = (ctx) =>
    withAccount(deps, ctx, async () => {
      ctx.flowToEnter = { feature: NAME, start: { step: SIZE } satisfies State };
    });

  async function finish(ctx: BotContext, { step, size }: State): Promise<void> {
    if (step === WORKED_OUT && size !== undefined) await workOut(ctx, size);
    else if (step === FLOW_ENDS.back) await listed.open(ctx);
    else await showFlowEnded(ctx, step);
  }

  return {
    ...listed,
    buttons: { custom: ask, [AGAIN]: workOutAgain },
    flow: {
      version: 1,
      ...dialogue<State>({
        stateSchema: dialogueStateSchema,
        steps: {
          [SIZE]: wholeNumberStep<State>({
            ...{ min: PACKAGE_SIZE_MIN, max: PACKAGE_SIZE_MAX, example: 25, problem: 'problem-packages' },
            ask: ({ words }, _, range) => words.html('packages-ask', range),
            onAnswer: (state, size) => ({ ...state, size, step: WORKED_OUT }),
            back: FLOW_ENDS.back,
          }),
        },
        finish,
      }),
    },
  };
});

interface Tier {
  size: number;
  /** Price of the whole package, in TRX, decimal. */
  price: string;
}

/** Returns the tiers with a price, smallest first. */
function pricedTiers({ tiers }: PackageTiers): Tier[] {
  return tiers
    .flatMap(({ size, price_trx: price }) => (size > 0 && price !== undefined ? [{ size, price }] : []))
    .toSorted((one, other) => one.size - other.size);
}

const perTransfer = ({ size, price }: Tier) => new BigNumber(price).div(size);

const trx = (amount: BigNumber) => amount.toFixed(2, BigNumber.ROUND_UP);

const bought = (accountUrl: string | undefined) => ({ site: accountUrl ? 'yes' : 'no' });

const toSite = (words: Words, accountUrl: string | undefined) =>
  accountUrl ? [[{ text: words.plain('button-packages-site'), url: accountUrl }]] : [];

function tiersView(words: Words, tiers: PackageTiers, accountUrl: string | undefined): View {
  const { single_transfer_price: single, bw_fee_per_transfer: fee } = tiers;
  const shown = pricedTiers(tiers).slice(0, MAX_TIERS);
  const html = paragraphs(
    words.html('packages-title'),
    lines(
      ...shown.map((tier) =>
        words.html('packages-tier', {
          ...{ size: tier.size, count: formatCount(tier.size, words.language), price: tier.price },
          each: trx(perTransfer(tier)),
        }),
      ),
      shown.length === 0 && words.html('packages-none'),
    ),
    lines(
      single !== undefined && words.html('packages-single', { price: single }),
      fee !== undefined && words.html('packages-bw', { fee }),
    ),
    words.html('packages-buying', bought(accountUrl)),
  );
  return withMenuButton(
    words,
    html,
    [button(words, 'button-packages-custom', callbackData(NAME, 'custom'))],
    ...toSite(words, accountUrl),
  );
}

/**
 * Returns the view of one size. The service names the price of a size between two tiers only at the purchase, so this
 * view shows its limits according to the tiers.
 */
function customView(
  words: Words,
  tiers: PackageTiers,
  { size, accountUrl }: { size: number; accountUrl: string | undefined },
): View {
  const { single_transfer_price: single, bw_fee_per_transfer: fee } = tiers;
  const priced = pricedTiers(tiers);
  const below = priced.findLast((tier) => tier.size <= size);
  const exact = below?.size === size ? below.price : undefined;
  const cheaper = priced.find(
    (tier) => tier.size > size && below && perTransfer(below).times(size).gte(tier.price),
  );
  const html = paragraphs(
    words.html('packages-size', { size, count: formatCount(size, words.language) }),
    lines(
      exact !== undefined && words.html('packages-exact', { price: exact }),
      exact === undefined &&
        below &&
        words.html('packages-about', {
          price: trx(perTransfer(below).times(size)),
          each: trx(perTransfer(below)),
          count: formatCount(below.size, words.language),
        }),
      cheaper &&
        words.html('packages-cheaper', {
          ...{ count: formatCount(cheaper.size, words.language), price: cheaper.price },
        }),
      single !== undefined &&
        words.html('packages-most', { price: trx(new BigNumber(single).times(size)), each: single }),
      fee !== undefined &&
        words.html('packages-fees', { price: trx(new BigNumber(fee).times(size)), each: fee }),
    ),
    exact === undefined && words.html('packages-not-said'),
    words.html('packages-buying', bought(accountUrl)),
  );
  const another = button(words, 'button-packages-custom', callbackData(NAME, 'custom'));
  const all = button(words, 'button-packages', callbackData(NAME, 'open'));
  return withMenuButton(words, html, [another, all], ...toSite(words, accountUrl));
}
