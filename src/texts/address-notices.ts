import { callbackData } from './callback-data.ts';
import { clock, inFours } from './formats.ts';
import type { Words } from './texts.ts';
import { button, notice, type View } from './view.ts';

/** The feature that hears the buttons of these notices. */
export const ANNOUNCED_BUTTONS = 'announced';

interface About {
  /** The announcement's number. */
  id: string;
  account: number;
  address: string;
  /** TRX, decimal: what is to be withdrawn. Unknown for notices that were stored without it. */
  trx?: string | undefined;
  /** Epoch milliseconds: when it counts; of no matter where it was struck out. */
  from?: number;
}

/**
 * About an address that an account without two-factor codes is to be withdrawn to. `asked`: to who wants to, just now and
 * until it counts; `announced`: to all others who hold the account; `offered`: it counts; `struck`: somebody said no.
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
  // No way to the menu, which would take the place of the only message that can strike it out.
  if (what === 'asked' || what === 'announced') return { html, keyboard: [[strike]] };
  if (what === 'struck') return notice(words, html);
  const card = button(words, 'button-show-card', callbackData(ANNOUNCED_BUTTONS, 'card', id), 'primary');
  return { html, keyboard: [[card], [strike]] };
}
