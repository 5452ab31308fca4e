import {
  type Book,
  hasRoomForName,
  isKnown,
  type KnownAddress,
  MAX_NAMED,
} from '../accounts/address-book.ts';
import {
  ADDRESS_BUTTONS,
  addressLabel,
  addressProblem,
  createAddressView,
  eitherOf,
  eitherRows,
  knownAddresses,
  tailOf,
} from '../bot/address-views.ts';
import type { BotContext } from '../bot/context.ts';
import { showEnded } from '../bot/conversations.ts';
import { dialogue, ENDS } from '../bot/dialogue.ts';
import { type ButtonHandler, changes, type Handler, QUESTION_TTL_MS } from '../bot/feature.ts';
import type { CreateFeature } from '../bot/feature-deps.ts';
import { show } from '../bot/reply.ts';
import { NAMING, type NamingState, namingSchema, namingSteps } from '../bot/steps/addresses.ts';
import { callbackData } from '../i18n/callback-data.ts';
import { escapeHtml } from '../i18n/texts.ts';
import { button, inRows, lines, notice, paragraphs } from '../i18n/view.ts';
import { addressAmongWords, readAddress } from '../rental-api/address.ts';

const PAGE = 6;

/** Creates the feature of the address book. It also handles addresses that the user pastes. */
export const createAddresses: CreateFeature = (deps) => {
  const { addressBook } = deps;
  const view = createAddressView(deps);

  async function list(ctx: BotContext, from = 0): Promise<void> {
    const { words } = ctx;
    const book = await knownAddresses(deps, ctx);
    const shown = book.addresses.slice(from, from + PAGE);
    const html = paragraphs(
      words.html('addresses-title'),
      ...shown.map((one, at) => entry(one, book, from + at + 1)),
      words.html(shown.length > 0 ? 'addresses-pick' : 'addresses-none'),
    );
    const picks = shown.map((one) => ({
      text: addressLabel(one.address, book),
      callback_data: callbackData(ADDRESS_BUTTONS, 'one', one.address),
    }));
    const older = from + PAGE < book.addresses.length;
    const turning = [
      ...(from > 0 ? [button(words, 'button-newest', callbackData(ADDRESS_BUTTONS, 'open'))] : []),
      ...(older ? [button(words, 'button-older', callbackData(ADDRESS_BUTTONS, 'page', from + PAGE))] : []),
    ];
    const add = button(words, 'button-address-add', callbackData(ADDRESS_BUTTONS, 'add'));
    const rows = [...inRows(picks, 1), turning, [add]].filter((row) => row.length > 0);
    await show(ctx, notice(words, html, ...rows));
  }

  /** Wraps the handler of a button that names an address. A modified client can name any. */
  const of =
    (handle: (ctx: BotContext, address: string) => Promise<unknown>): ButtonHandler =>
    async (ctx, argument) => {
      const read = readAddress(argument);
      if (read.ok) return handle(ctx, read.address);
      ctx.toast = ctx.words.plain('toast-over');
    };

  /** Wraps the handler of a button that names an address of the book. */
  const known = (handle: (ctx: BotContext, address: string) => Promise<unknown>): ButtonHandler =>
    of(async (ctx, address) => {
      if (isKnown(await knownAddresses(deps, ctx), address)) return handle(ctx, address);
      ctx.toast = ctx.words.plain('toast-address-gone');
      return list(ctx);
    });

  /** Wraps the handler of a button that names a known address by {@link tailOf}. */
  const knownByTail =
    (handle: (ctx: BotContext, address: string) => Promise<unknown>): ButtonHandler =>
    async (ctx, tail) => {
      const { addresses } = await knownAddresses(deps, ctx);
      const found = addresses.find(({ address }) => tailOf(address) === tail);
      if (found) return handle(ctx, found.address);
      ctx.toast = ctx.words.plain('toast-address-gone');
      return list(ctx);
    };

  /** Changes the address book. The next view reads it again. */
  async function change<Result>(ctx: BotContext, by: (user: number) => Promise<Result>) {
    if (ctx.from === undefined) return undefined;
    ctx.tx.signal.throwIfAborted();
    const result = await by(ctx.from.id);
    delete ctx.addresses;
    return result;
  }

  const manage = async (ctx: BotContext, address: string) => show(ctx, await view.managed(ctx, address));

  async function ask(ctx: BotContext, start: NamingState): Promise<void> {
    const { words } = ctx;
    if (hasRoomForName(await knownAddresses(deps, ctx), start.address)) {
      ctx.entering = { feature: ADDRESS_BUTTONS, start };
      return;
    }
    const toList = button(words, 'button-addresses', callbackData(ADDRESS_BUTTONS, 'open'));
    await show(ctx, notice(words, words.html('addresses-full', { most: MAX_NAMED }), [toList]));
  }

  async function finish(ctx: BotContext, { step, address, name }: NamingState): Promise<void> {
    if (step === NAMING.named && address !== undefined && name !== undefined) {
      const naming = await change(ctx, (user) => addressBook.name(user, address, name));
      // The name is in use now, or the address book has no room for another name. The list shows both.
      await (naming === 'named' ? manage(ctx, address) : list(ctx));
    } else if (step === ENDS.back) await back(ctx, address);
    else await showEnded(ctx, step);
  }

  /** Shows the view where the flow began: the list, or an address that isn't in the book. */
  async function back(ctx: BotContext, address?: string): Promise<void> {
    const isPasted = address !== undefined && !isKnown(await knownAddresses(deps, ctx), address);
    await (isPasted ? show(ctx, await view.used(ctx, address)) : list(ctx));
  }

  const hears = async (ctx: BotContext, text: string): Promise<boolean> => {
    const given = addressAmongWords(text);
    if (given === undefined) return false;
    if (given.kind === 'address') await show(ctx, await view.used(ctx, given.address));
    else {
      const picks = eitherRows(eitherOf(given), (one) => callbackData(ADDRESS_BUTTONS, 'use', one));
      await show(ctx, notice(ctx.words, addressProblem(ctx.words, given), ...picks));
    }
    return true;
  };

  const open: Handler = (ctx) => list(ctx);

  return {
    name: ADDRESS_BUTTONS,
    menu: { button: 'button-addresses', place: 'more', for: 'linked' },
    command: { name: 'addresses', text: 'command-addresses' },
    open,
    async said(ctx, text) {
      if (!(await hears(ctx, text))) await list(ctx);
    },
    hears,
    buttons: {
      page: (ctx, from) => list(ctx, Number(from) || 0),
      one: known(manage),
      use: of(async (ctx, address) => show(ctx, await view.used(ctx, address))),
      add: (ctx) => ask(ctx, { step: NAMING.address }),
      save: of((ctx, address) => ask(ctx, { step: NAMING.keep, address })),
      rename: known((ctx, address) => ask(ctx, { step: NAMING.rename, address })),
      prefer: changes(
        knownByTail(async (ctx, address) => {
          await change(ctx, (user) => addressBook.prefer(user, address));
          await manage(ctx, address);
        }),
      ),
      'prefer-none': changes(
        knownByTail(async (ctx, address) => {
          await change(ctx, (user) => addressBook.prefer(user, undefined));
          await manage(ctx, address);
        }),
      ),
      remove: known(async (ctx, address) => show(ctx, await view.removal(ctx, address))),
      'remove-yes': changes(
        knownByTail(async (ctx, address) => {
          await change(ctx, (user) => addressBook.remove(user, address));
          ctx.lead = ctx.words.html('address-removed', { address });
          await list(ctx);
        }),
        QUESTION_TTL_MS,
      ),
    },
    flow: {
      version: 1,
      ...dialogue<NamingState>({ kept: namingSchema, steps: namingSteps(deps), finish }),
    },
  };
};

/** Returns an entry with the full address, because two addresses can look alike in short form. */
function entry({ address, name }: KnownAddress, { preferred }: Book, number: number): string {
  const parts = [
    `${number}.`,
    address === preferred && '★',
    name !== undefined && `<b>${escapeHtml(name)}</b>`,
  ];
  return lines(parts.filter(Boolean).join(' '), `<code>${escapeHtml(address)}</code>`);
}
