import { callbackData } from './callback-data.ts';
import { inFours } from './formats.ts';
import type { Words } from './texts.ts';
import { button, notice, type View } from './view.ts';

/** The feature that hears the buttons of these notices. */
export const ANNOUNCED_BUTTONS = 'announced';

interface About {
  /** The announcement's number. */
  id: string;
  account: number;
  address: string;
}

/**
 * About an address that an account without two-factor codes is to be withdrawn to. `asked`: to who wants to, just now and
 * until it counts; `announced`: to all others who hold the account; `offered`: it counts; `struck`: somebody said no.
 */
export function addressNotice(
  words: Words,
  what: 'asked' | 'announced' | 'offered' | 'struck',
  { id, account, address, minutes = 0 }: About & { minutes?: number },
): View {
  const told = { account: String(account), address, compared: inFours(address), minutes };
  const html = words.html(`address-${what}`, told);
  const strike = button(words, 'button-strike', callbackData(ANNOUNCED_BUTTONS, 'strike', id), 'danger');
  switch (what) {
    case 'struck':
      return notice(words, html);
    case 'offered': {
      const card = button(words, 'button-show-card', callbackData(ANNOUNCED_BUTTONS, 'card', id), 'primary');
      return notice(words, html, [card], [strike]);
    }
    default:
      return notice(words, html, [strike]);
  }
}
