import { callbackData } from './callback-data.ts';
import { clock, inFours } from './formats.ts';
import type { Words } from './texts.ts';
import { button, notice, type View } from './view.ts';

/** Feature that handles the buttons of these notifications. */
export const ANNOUNCED_BUTTONS = 'announced';

interface About {
  /** Id of the announcement. */
  id: string;
  account: number;
  address: string;
  /** Amount of the withdrawal in TRX, as a decimal string. Missing in older stored notifications. */
  trx?: string | undefined;
  /** Time from which the address is allowed, in epoch milliseconds. Irrelevant if it was rejected. */
  from?: number;
}

/**
 * Renders a notification about a new withdrawal address of an account without two-factor codes:
 * - `asked`: to the user who requested it, until the address is allowed.
 * - `announced`: to all other holders of the account.
 * - `offered`: the address is now allowed.
 * - `struck`: a holder rejected the address.
 */
export function addressNotice(
  words: Words,
  what: 'asked' | 'announced' | 'offered' | 'struck',
  { id, account, address, trx = 'unknown', from = 0, minutes = 0 }: About & { minutes?: number },
): View {
  const told = {
    account: String(account),
    address,
    trx,
    compared: inFours(address),
    minutes,
    from: clock(from),
  };
  const html = words.html(`address-${what}`, told);
  const strike = button(words, 'button-strike', callbackData(ANNOUNCED_BUTTONS, 'strike', id), 'danger');
  // No menu button. The menu would replace the only message with the button that rejects the address.
  if (what === 'asked' || what === 'announced') return { html, keyboard: [[strike]] };
  if (what === 'struck') return notice(words, html);
  const card = button(words, 'button-show-card', callbackData(ANNOUNCED_BUTTONS, 'card', id), 'primary');
  return { html, keyboard: [[card], [strike]] };
}
