import { BigNumber } from 'bignumber.js';
import { ADDRESS_WAIT_MS } from '../accounts/address-announcements.ts';
import { addressNotification } from '../i18n/shared-views.ts';
import { type View, withMenuButton } from '../i18n/view.ts';
import { orTimeout } from '../platform/retry.ts';
import { isUnexpectedReply, type Outcome } from '../rental-api/http.ts';
import type { Profile } from '../rental-api/schemas.ts';
import type { BotContext } from './context.ts';
import type { FeatureDeps } from './feature.ts';
import type { Payer } from './quotes.ts';
import { show } from './reply.ts';

const READ_TIMEOUT_MS = 5_000;
const MINUTE_MS = 60_000;

interface Deps
  extends Pick<
    FeatureDeps,
    'rental' | 'operator' | 'operations' | 'addressAnnouncements' | 'addressNotifications' | 'now'
  > {}

interface RequestedWithdrawal {
  address: string;
  trx: string;
  all?: boolean | undefined;
  cap?: string | undefined;
}

/**
 * Creates the checks of withdrawals from accounts without two-factor codes. Such accounts have a daily limit, and
 * withdraw only to addresses that were announced to all holders.
 */
export function createCodelessWithdrawals({
  rental,
  operator,
  operations,
  addressAnnouncements,
  addressNotifications,
  now,
}: Deps) {
  const { dailyCap } = operations;
  const profiles = new WeakMap<BotContext, Promise<Outcome<Profile> | undefined>>();

  /** Reads the profile once per update. Returns `undefined` if the service doesn't respond in time. */
  function profileOf(ctx: BotContext, { apiKey }: Payer): Promise<Outcome<Profile> | undefined> {
    const asked = profiles.get(ctx) ?? orTimeout(rental.profile(apiKey), READ_TIMEOUT_MS);
    profiles.set(ctx, asked);
    return asked;
  }

  const minutesUntil = (at: number) => Math.max(1, Math.ceil((at - now()) / MINUTE_MS));

  async function announce(
    { words, tx }: BotContext,
    payer: Payer,
    wanted: RequestedWithdrawal,
  ): Promise<View> {
    const { address, trx, all } = wanted;
    const made = await addressAnnouncements.draft({ ...payer, address, trx, all });
    if (made === undefined) return withMenuButton(words, words.html('withdrawal-announced-many'));
    tx.signal.throwIfAborted();
    // Notifies before storing: a failure in between repeats the notification instead of losing it.
    await addressNotifications.announced(made);
    tx.signal.throwIfAborted();
    await addressAnnouncements.add(made);
    return addressNotification(words, 'asked', {
      ...made,
      from: made.at + ADDRESS_WAIT_MS,
      minutes: minutesUntil(made.at + ADDRESS_WAIT_MS),
    });
  }

  return {
    /**
     * Returns the account's balance and, if it has no codes, the rest of its daily limit, both in TRX, decimal. A value
     * that the service doesn't provide is missing.
     */
    async balanceAndLimit(ctx: BotContext, payer: Payer): Promise<{ balance?: string; left?: string }> {
      const profile = await profileOf(ctx, payer);
      if (profile?.kind !== 'accepted') return {};
      const { balance_trx: balance, totp_enabled: hasCodes } = profile.value;
      return hasCodes ? { balance } : { balance, left: await dailyCap.remaining(payer.account) };
    },
    /** Returns why nothing can be withdrawn from this account, in Telegram's HTML, or `undefined`. */
    async obstacle(ctx: BotContext, payer: Payer): Promise<string | undefined> {
      const { words } = ctx;
      if (payer.operators) return words.html('withdrawal-operator');
      const [isOperators, profile] = await Promise.all([
        orTimeout(operator.owns(payer.account), READ_TIMEOUT_MS),
        profileOf(ctx, payer),
      ]);
      if (isOperators === true) return words.html('withdrawal-operator');
      if (isUnexpectedReply(profile)) return words.html('withdrawal-unexpected');
      if (isOperators === undefined || profile?.kind !== 'accepted') return words.html('withdrawal-unknown');
      return profile.value.totp_enabled || new BigNumber(dailyCap.trx).gt(0)
        ? undefined
        : words.html('withdrawal-without-codes');
    },
    /** Shows something in place of the card if the address can't be used yet. Returns whether it did. */
    async intercept(ctx: BotContext, payer: Payer, wanted: RequestedWithdrawal): Promise<boolean> {
      const held = await viewInsteadOfCard(ctx, payer, wanted);
      if (held) await show(ctx, held);
      return held !== undefined;
    },
  };

  async function viewInsteadOfCard(
    ctx: BotContext,
    payer: Payer,
    wanted: RequestedWithdrawal,
  ): Promise<View | undefined> {
    if (wanted.cap === undefined) return undefined;
    const { user, account } = payer;
    const standing = await addressAnnouncements.getStatus({ user, account, address: wanted.address });
    switch (standing.kind) {
      case 'usable':
        return undefined;
      case 'cancelled':
        return addressNotification(ctx.words, 'struck', standing.announcement);
      case 'waiting': {
        const minutes = minutesUntil(standing.until);
        return addressNotification(ctx.words, 'asked', {
          ...standing.announcement,
          from: standing.until,
          minutes,
        });
      }
      case 'new':
        return announce(ctx, payer, wanted);
    }
  }
}
