import { BigNumber } from 'bignumber.js';
import type { InlineKeyboardButton } from 'grammy/types';
import { screen, withAccount, withReading } from '../../bot/accounts.ts';
import type { BotContext } from '../../bot/context.ts';
import {
  type DialogueState,
  dialogue,
  dialogueStateSchema,
  FLOW_ENDS,
  showFlowEnded,
} from '../../bot/dialogue.ts';
import { defineFeature } from '../../bot/feature.ts';
import { show, showToast } from '../../bot/reply.ts';
import { wholeNumberStep } from '../../bot/steps/amounts.ts';
import { lines, paragraphs, type Words } from '../../i18n/texts.ts';
import { parseWholeNumber } from '../../input/numbers.ts';
import type { AccountReads } from '../../rental-api/account-reader.ts';
import type { PackageTiers } from '../../rental-api/schemas.ts';
import { PACKAGE_SIZE_MAX, PACKAGE_SIZE_MIN } from '../../rental-api/tron.ts';
import { callbackData } from '../../views/callback-data.ts';
import { button, type View, withMenuButton } from '../../views/view.ts';

const PACKAGES = 'packages';
const SIZE_STEP = 'size';
/** Button that calculates the price of an earlier size again. */
const SIZE_BUTTON = 'of';
const SIZE_GIVEN = 'worked-out';
const MAX_TIERS = 20;

type PackageState = DialogueState & { size?: number };

/**
 * Shows prices of prepaid packages, by command only: the API can't buy or report packages (specification, section 2).
 */
export const packagesFeature = defineFeature((deps) => {
  const { accountUrl } = deps;
  const read = (reads: AccountReads) => reads.packageTiers();

  function viewOf(words: Words, parts: (string | false)[], buttons: InlineKeyboardButton[]): View {
    const html = paragraphs(...parts, words.html('packages-buying'));
    const site = accountUrl ? [{ text: words.plain('button-packages-site'), url: accountUrl }] : [];
    return withMenuButton(words, html, buttons, site);
  }

  function tiersView(words: Words, tiers: PackageTiers): View {
    const { single_transfer_price: single, bw_fee_per_transfer: fee } = tiers;
    const shown = pricedTiers(tiers).slice(0, MAX_TIERS);
    const tierLines = shown.map((tier) => {
      const { size: count, price } = tier;
      return words.html('packages-tier', { count, price, each: trx(perTransfer(tier)) });
    });
    const limits = lines(
      single !== undefined && words.html('packages-single', { price: single }),
      fee !== undefined && words.html('packages-bw', { fee }),
    );
    return viewOf(
      words,
      [
        words.html('packages-title'),
        shown.length > 0 ? lines(...tierLines) : words.html('packages-none'),
        limits,
      ],
      [button(words, 'button-packages-custom', callbackData(PACKAGES, 'custom'))],
    );
  }

  /** The service names prices between two tiers only at the purchase, so this shows bounds. */
  function sizeView(words: Words, tiers: PackageTiers, size: number): View {
    const { single_transfer_price: single, bw_fee_per_transfer: fee } = tiers;
    const times = (price: BigNumber.Value) => new BigNumber(price).times(size);
    const priced = pricedTiers(tiers);
    const below = priced.findLast((tier) => tier.size <= size);
    const each = below && perTransfer(below);
    const exact = below?.size === size ? below.price : undefined;
    const cheaper = priced.find((tier) => tier.size > size && each && times(each).gte(tier.price));
    const limits = lines(
      exact !== undefined && words.html('packages-exact', { price: exact }),
      exact === undefined &&
        each &&
        words.html('packages-about', { price: trx(times(each)), each: trx(each), count: below.size }),
      cheaper && words.html('packages-cheaper', { count: cheaper.size, price: cheaper.price }),
      single !== undefined && words.html('packages-most', { price: trx(times(single)), each: single }),
      fee !== undefined && words.html('packages-fees', { price: trx(times(fee)), each: fee }),
    );
    return viewOf(
      words,
      [
        words.html('packages-size', { count: size }),
        limits,
        exact === undefined && words.html('packages-not-said'),
      ],
      [
        button(words, 'button-packages-custom', callbackData(PACKAGES, 'custom')),
        button(words, 'button-packages', callbackData(PACKAGES, 'open')),
      ],
    );
  }

  const list = screen(deps, {
    name: PACKAGES,
    command: { name: 'packages', text: 'command-packages', linked: true },
    read,
    view: tiersView,
  });

  const showSize = (ctx: BotContext, size: number) =>
    withReading(deps, ctx, { read, again: callbackData(PACKAGES, SIZE_BUTTON, size) }, (tiers) =>
      show(ctx, sizeView(ctx.words, tiers, size)),
    );

  async function finish(ctx: BotContext, { step, size }: PackageState): Promise<void> {
    if (step === SIZE_GIVEN && size !== undefined) await showSize(ctx, size);
    else if (step === FLOW_ENDS.back) await list.open(ctx);
    else await showFlowEnded(ctx, step);
  }

  return {
    ...list,
    buttons: {
      custom: (ctx) =>
        withAccount(deps, ctx, async () => {
          ctx.flowToEnter = { feature: PACKAGES, start: { step: SIZE_STEP } satisfies PackageState };
        }),
      async [SIZE_BUTTON](ctx, argument) {
        const size = parseWholeNumber(argument) ?? 0;
        if (size >= PACKAGE_SIZE_MIN && size <= PACKAGE_SIZE_MAX) await showSize(ctx, size);
        else showToast(ctx, 'toast-over');
      },
    },
    flow: {
      version: 1,
      ...dialogue<PackageState>({
        stateSchema: dialogueStateSchema,
        steps: {
          [SIZE_STEP]: wholeNumberStep<PackageState>({
            min: PACKAGE_SIZE_MIN,
            max: PACKAGE_SIZE_MAX,
            example: 25,
            problem: 'problem-count',
            ask: ({ words }, _, range) => words.html('packages-ask', range),
            onAnswer: (state, size) => ({ ...state, size, step: SIZE_GIVEN }),
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
  /** TRX, decimal, for the whole package. */
  price: string;
}

function pricedTiers({ tiers }: PackageTiers): Tier[] {
  return tiers
    .flatMap(({ size, price_trx: price }) => (size > 0 && price !== undefined ? [{ size, price }] : []))
    .toSorted((one, other) => one.size - other.size);
}

const perTransfer = ({ size, price }: Tier) => new BigNumber(price).div(size);

const trx = (amount: BigNumber) => amount.toFixed(2, BigNumber.ROUND_UP);
