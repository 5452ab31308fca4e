import { BigNumber } from 'bignumber.js';
import { ADDRESS_WAIT_MS, type AddressAnnouncement } from '../../accounts/address-announcements.ts';
import { findLookalike } from '../../accounts/address-book.ts';
import { linkOf, readProblem } from '../../bot/accounts.ts';
import { addressBookOf } from '../../bot/address-input.ts';
import type { BotContext, Payer } from '../../bot/context.ts';
import type { FeatureDeps } from '../../bot/feature.ts';
import { show, showText } from '../../bot/reply.ts';
import { paragraphs, timeVariables } from '../../i18n/texts.ts';
import { addressNotification, announcementView } from '../../notifications/address-notification.ts';
import { orTimeout } from '../../platform/async.ts';
import { callbackData } from '../../views/callback-data.ts';
import { type View, withMenuButton } from '../../views/view.ts';

const READ_TIMEOUT_MS = 5_000;

interface RequestedWithdrawal {
  address: string;
  trx: string;
  all?: boolean | undefined;
  cap?: string | undefined;
}

export interface WithdrawalDeps extends FeatureDeps {
  addressNotifications: {
    announced(asked: AddressAnnouncement): Promise<unknown>;
    blocked(announced: AddressAnnouncement): Promise<unknown>;
    ended(announced: AddressAnnouncement, except?: { chat: number; message: number }): Promise<unknown>;
  };
}

/** Creates the checks of withdrawals without two-factor codes: the daily limit, and announced addresses only. */
export function createCodelessWithdrawals(deps: WithdrawalDeps) {
  const { operator, addressAnnouncements, addressNotifications } = deps;
  const { dailyCap } = deps.operations;

  /** Returns `undefined` if the service doesn't respond in time. */
  async function profileOf({ read }: Payer) {
    const reading = read((reads) => reads.profile());
    return orTimeout(reading, READ_TIMEOUT_MS);
  }

  /**
   * Shows the announcement in place of the card. Once its withdrawal is over, the message loses its buttons. `asked`: amount
   * that the user wants to withdraw in addition to the announced one, in TRX (decimal).
   */
  async function showHold(ctx: BotContext, announcement: AddressAnnouncement, asked?: string): Promise<void> {
    const { account, id, trx, at } = announcement;
    const { html, keyboard } = await announcementView(deps, ctx.words, 'hold', announcement);
    const again =
      asked !== undefined &&
      ctx.words.html('address-hold-again', { trx, ...timeVariables(at + ADDRESS_WAIT_MS) });
    const other =
      asked !== undefined &&
      !new BigNumber(asked).eq(trx) &&
      ctx.words.html('address-hold-other', { asked, trx });
    const message = await show(ctx, { html: paragraphs(other || again, html), keyboard });
    // Cosmetic: a tap on a button that no longer applies also says so.
    ctx.tx.afterCommit(() => addressAnnouncements.addMessage(account, id, message));
  }

  async function announce(ctx: BotContext, payer: Payer, wanted: RequestedWithdrawal): Promise<void> {
    const { words, tx } = ctx;
    const { address, trx, all } = wanted;
    const made = await addressAnnouncements.draft({ ...payer, address, trx, all });
    if (made === undefined) return void (await showText(ctx, words.html('withdrawal-announced-many')));
    tx.signal.throwIfAborted();
    // Notifies before storing: a failure in between repeats the notification instead of losing it.
    await addressNotifications.announced(made);
    tx.signal.throwIfAborted();
    await addressAnnouncements.add(made);
    await showHold(ctx, made);
  }

  return {
    /** Returns the balance and, without codes, the rest of the daily limit, in TRX, if known. */
    async balanceAndLimit(payer: Payer): Promise<{ balance?: string; left?: string }> {
      const profile = await profileOf(payer);
      if (profile?.kind !== 'accepted') return {};
      const { balance_trx: balance, totp_enabled: hasCodes } = profile.value;
      return hasCodes ? { balance } : { balance, left: await dailyCap.remaining(payer.account) };
    },
    /** Returns a view that explains why nothing can be withdrawn from this account, or `undefined`. */
    async obstacle(ctx: BotContext, payer: Payer): Promise<View | undefined> {
      const { words } = ctx;
      const neverHere = withMenuButton(words, words.html('refusal-operator'));
      if (payer.usesOperatorAccount) return neverHere;
      const [isOperators, profile, link] = await Promise.all([
        orTimeout(operator.owns(payer.account), READ_TIMEOUT_MS),
        profileOf(payer),
        linkOf(deps, ctx),
      ]);
      if (isOperators === true) return neverHere;
      const about = { tail: link?.tail ?? '', again: callbackData('withdraw', 'open') };
      if (profile?.kind !== 'accepted') return readProblem(words, about, profile);
      if (isOperators === undefined) return readProblem(words, about, undefined);
      return profile.value.totp_enabled || new BigNumber(dailyCap.trx).gt(0)
        ? undefined
        : withMenuButton(words, words.html('withdrawal-without-codes'));
    },
    /** Returns an address of the user's book, or one that a holder of the account has withdrawn to, that looks like this one. */
    async lookalikeOf(ctx: BotContext, { account }: Payer, address: string): Promise<string | undefined> {
      const book = await addressBookOf(deps, ctx);
      const used = await addressAnnouncements.usedOf(account);
      return findLookalike(address, book) ?? findLookalike(address, { addresses: used });
    },
    /** Shows why the address can't be used yet, in place of the card. Returns `false` if it can be used. */
    async intercept(ctx: BotContext, payer: Payer, wanted: RequestedWithdrawal): Promise<boolean> {
      if (wanted.cap === undefined) return false;
      const { user, account } = payer;
      const status = await addressAnnouncements.getStatus({ user, account, address: wanted.address });
      switch (status.kind) {
        case 'usable':
          return false;
        case 'cancelled': {
          const isByReader = status.announcement.cancelledBy === user;
          const about = { ...status.announcement, from: status.until, isByReader };
          await show(ctx, addressNotification(ctx.words, 'blocked', about));
          return true;
        }
        case 'waiting':
          await showHold(ctx, status.announcement, wanted.trx);
          return true;
        case 'new':
          await announce(ctx, payer, wanted);
          return true;
      }
    },
  };
}
