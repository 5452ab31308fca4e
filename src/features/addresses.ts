import { type Book, canAddName, isKnown, type KnownAddress, MAX_NAMED } from '../accounts/address-book.ts';
import {
  ADDRESS_BUTTONS,
  addressBookOf,
  addressChoiceRows,
  addressChoicesOf,
  addressLabel,
  addressProblem,
  addressTail,
  createAddressView,
} from '../bot/address-views.ts';
import type { BotContext } from '../bot/context.ts';
import { showFlowEnded } from '../bot/conversations.ts';
import { dialogue, FLOW_ENDS } from '../bot/dialogue.ts';
import { type ButtonHandler, changes, defineFeature, type Handler, QUESTION_TTL_MS } from '../bot/feature.ts';
import { show } from '../bot/reply.ts';
import { NAMING_STEPS, type NamingState, namingSchema, namingSteps } from '../bot/steps/addresses.ts';
import { escapeHtml } from '../i18n/texts.ts';
import { button, callbackData, inRows, lines, paragraphs, withMenuButton } from '../i18n/view.ts';
import { findAddressInput, readAddress } from '../rental-api/address.ts';

const PAGE = 6;

/** Creates the feature of the address book. It also handles addresses that the user pastes. */
export const addressesFeature = defineFeature((deps) => {
  const { addressBook } = deps;
  const view = createAddressView(deps);

  async function list(ctx: BotContext, from = 0): Promise<void> {
    const { words } = ctx;
    const book = await addressBookOf(deps, ctx);
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
    await show(ctx, withMenuButton(words, html, ...rows));
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
      if (isKnown(await addressBookOf(deps, ctx), address)) return handle(ctx, address);
      ctx.toast = ctx.words.plain('toast-address-gone');
      return list(ctx);
    });

  /** Wraps the handler of a button that names a known address by {@link addressTail}. */
  const knownByTail =
    (handle: (ctx: BotContext, address: string) => Promise<unknown>): ButtonHandler =>
    async (ctx, tail) => {
      const { addresses } = await addressBookOf(deps, ctx);
      const found = addresses.find(({ address }) => addressTail(address) === tail);
      if (found) return handle(ctx, found.address);
      ctx.toast = ctx.words.plain('toast-address-gone');
      return list(ctx);
    };

  /** Changes the address book. The next view reads it again. */
  async function change<Result>(ctx: BotContext, by: (user: number) => Promise<Result>) {
    if (ctx.from === undefined) return undefined;
    ctx.tx.signal.throwIfAborted();
    const result = await by(ctx.from.id);
    delete ctx.addressBook;
    return result;
  }

  const manage = async (ctx: BotContext, address: string) => show(ctx, await view.settings(ctx, address));

  async function ask(ctx: BotContext, start: NamingState): Promise<void> {
    const { words } = ctx;
    if (canAddName(await addressBookOf(deps, ctx), start.address)) {
      ctx.flowToEnter = { feature: ADDRESS_BUTTONS, start };
      return;
    }
    const toList = button(words, 'button-addresses', callbackData(ADDRESS_BUTTONS, 'open'));
    await show(ctx, withMenuButton(words, words.html('addresses-full', { most: MAX_NAMED }), [toList]));
  }

  async function finish(ctx: BotContext, { step, address, name }: NamingState): Promise<void> {
    if (step === NAMING_STEPS.named && address !== undefined && name !== undefined) {
      const naming = await change(ctx, (user) => addressBook.setName(user, address, name));
      // The name is in use now, or the address book has no room for another name. The list shows both.
      await (naming === 'named' ? manage(ctx, address) : list(ctx));
    } else if (step === FLOW_ENDS.back) await back(ctx, address);
    else await showFlowEnded(ctx, step);
  }

  /** Shows the view where the flow began: the list, or an address that isn't in the book. */
  async function back(ctx: BotContext, address?: string): Promise<void> {
    const isPasted = address !== undefined && !isKnown(await addressBookOf(deps, ctx), address);
    await (isPasted ? show(ctx, await view.actions(ctx, address)) : list(ctx));
  }

  const hears = async (ctx: BotContext, text: string): Promise<boolean> => {
    const given = findAddressInput(text);
    if (given === undefined) return false;
    if (given.kind === 'address') await show(ctx, await view.actions(ctx, given.address));
    else {
      const picks = addressChoiceRows(addressChoicesOf(given), (one) =>
        callbackData(ADDRESS_BUTTONS, 'use', one),
      );
      await show(ctx, withMenuButton(ctx.words, addressProblem(ctx.words, given), ...picks));
    }
    return true;
  };

  const open: Handler = (ctx) => list(ctx);

  return {
    name: ADDRESS_BUTTONS,
    menu: { button: 'button-addresses', place: 'more', for: 'linked' },
    command: { name: 'addresses', text: 'command-addresses' },
    open,
    async onCommandText(ctx, text) {
      if (!(await hears(ctx, text))) await list(ctx);
    },
    onText: hears,
    buttons: {
      page: (ctx, from) => list(ctx, Number(from) || 0),
      one: known(manage),
      use: of(async (ctx, address) => show(ctx, await view.actions(ctx, address))),
      add: (ctx) => ask(ctx, { step: NAMING_STEPS.address }),
      save: of((ctx, address) => ask(ctx, { step: NAMING_STEPS.keep, address })),
      rename: known((ctx, address) => ask(ctx, { step: NAMING_STEPS.rename, address })),
      prefer: changes(
        knownByTail(async (ctx, address) => {
          await change(ctx, (user) => addressBook.setDefault(user, address));
          await manage(ctx, address);
        }),
      ),
      'prefer-none': changes(
        knownByTail(async (ctx, address) => {
          await change(ctx, (user) => addressBook.setDefault(user, undefined));
          await manage(ctx, address);
        }),
      ),
      remove: known(async (ctx, address) => show(ctx, await view.removalQuestion(ctx, address))),
      'remove-yes': changes(
        knownByTail(async (ctx, address) => {
          await change(ctx, (user) => addressBook.remove(user, address));
          ctx.headerHtml = ctx.words.html('address-removed', { address });
          await list(ctx);
        }),
        QUESTION_TTL_MS,
      ),
    },
    flow: {
      version: 1,
      ...dialogue<NamingState>({ stateSchema: namingSchema, steps: namingSteps(deps), finish }),
    },
  };
});

/** Returns an entry with the full address, because two addresses can look alike in short form. */
function entry({ address, name }: KnownAddress, { defaultAddress: preferred }: Book, number: number): string {
  const parts = [
    `${number}.`,
    address === preferred && '★',
    name !== undefined && `<b>${escapeHtml(name)}</b>`,
  ];
  return lines(parts.filter(Boolean).join(' '), `<code>${escapeHtml(address)}</code>`);
}
