import { FEATURES } from '../../src/features/features.ts';
import { chainAddressOf } from '../../src/sandbox/rental/chain-address.ts';
import { DEMO_ACCOUNT, serviceActions } from './account-api.ts';
import { compose, toEverybody } from './broadcasting.ts';
import { isTap } from './inputs.ts';
import { findButton, type Person, type ShownMessage } from './person.ts';
import {
  buyEnergy,
  linkAccount,
  linkOf,
  linkWithEvents,
  makeInvoice,
  toCard,
  toHeldCard,
  toHold,
} from './steps.ts';
import { ADMIN, GUEST, HOLDER, type World } from './world.ts';

/** Addresses that only the holder uses: for a purchase, an activation, a withdrawal and an announcement. */
const [BOUGHT, FRESH, OUT, WISHED] = ['bought for', 'never used', 'withdrawn to', 'wished'].map(
  chainAddressOf,
) as [string, string, string, string];

/** Texts that identify the account holder after all steps below, besides the user ID. */
export const KNOWN_BY: readonly string[] = [
  ...[BOUGHT, FRESH, OUT, WISHED, chainAddressOf('demo chain'), chainAddressOf('demo deposit')],
  ...['demo@example.com', 'demo-key', 'Treasure chest', 'Order 17', String(DEMO_ACCOUNT)],
];

/** Links an account, buys, changes settings, names an address, activates an address and creates an invoice. */
export async function settle(world: World): Promise<void> {
  const person = world.person(HOLDER);
  await person.say('/settings');
  await person.tap('Русский');
  await person.say('/settings');
  await person.tap('English');
  await (world.config.publicUrl ? linkWithEvents(person) : linkAccount(person));
  await buyEnergy(person, 'Bought', BOUGHT);
  await person.tap('Remind me before it ends');
  await person.say('/addresses');
  await person.tap(BOUGHT.slice(0, 6));
  await person.tapAndRead('Name address', 'Name this address');
  await person.sayAndRead('Treasure chest', 'Treasure chest');
  await person.say('/notifications');
  await person.tap('🔔 Smart Mode');
  await person.until('that something is muted', (shown) => findButton(shown, '🔕 Smart Mode'));
  const { message_id = 0 } = await person.say('/activate');
  await person.reads('Which address', { message_id });
  const activated = await person.sayAndRead(FRESH, 'Review and confirm', { message_id });
  await person.confirm(activated, 'Activated');
  await makeInvoice(person, { note: 'Order 17' });
  for (const { stores } of FEATURES) await giveInputs(world, person, stores?.example ?? []);
}

/** Sends texts, and taps the latest buttons with this data, in order. */
async function giveInputs(world: World, person: Person, inputs: readonly string[]): Promise<void> {
  for (const input of inputs) {
    if (isTap(input)) {
      const [message, data] = await person.until(`a button ${input}`, (shown) => findData(shown, input));
      await person.tapData(message.message_id, data);
    } else await person.say(input);
    await world.settled();
  }
}

/** Returns the latest message with a button of this data, and its data with its token. */
function findData(shown: readonly ShownMessage[], data: string): [ShownMessage, string] | undefined {
  return shown
    .flatMap((message) =>
      (message.keyboard ?? [])
        .flat()
        .flatMap((button): [ShownMessage, string][] =>
          button.data?.startsWith(data) ? [[message, button.data]] : [],
        ),
    )
    .at(-1);
}

/** Sees the deposit address, gets a deposit notification, withdraws, announces another address, and leaves a card for a question that stays open. */
export async function goOn(world: World): Promise<void> {
  const person = world.person(HOLDER);
  await person.ask('/deposit', 'Send TRX');
  await serviceActions(world).deposit('100');
  await toHold(person, OUT);
  await world.advance(600);
  await person.reads('100.00 TRX credited');
  await toHeldCard(person);
  await person.tapAndRead('Confirm', 'Withdrawal accepted');
  await toHold(person, WISHED);
  const card = await toCard(person, BOUGHT);
  await person.sayAndRead('/buy', 'Which address', card);
  await person.shows(card, 'Cancelled. Nothing was charged.');
}

/** Involves other users: the operator's key, a guest's invoice, a ban and its removal by an admin, a waiting broadcast. */
export async function amongOthers(world: World): Promise<void> {
  const [person, admin, guest] = [HOLDER, ADMIN, GUEST].map((chat) => world.person(chat)) as [
    Person,
    Person,
    Person,
  ];
  await admin.sayAndRead('/start', 'Energy and bandwidth');
  await person.say('operator-key');
  await admin.reads("sent the operator's API key");
  await linkAccount(guest, 'merchant-key');
  const invoice = await makeInvoice(guest, { note: 'Order 18' });
  await person.follow(linkOf(invoice));
  await person.reads('Order 18');
  await admin.say('/people');
  await admin.tapAndRead('Find user', 'Send a Telegram ID');
  await admin.say(String(HOLDER));
  await admin.tap('⛔ Suspend');
  await admin.tap('Yes, suspend');
  await admin.tap('Restore access');
  await admin.until('that the user is no longer banned', (shown) => findButton(shown, '⛔ Suspend'));
  await compose(admin, 'Prices fall on Monday');
  await toEverybody(admin);
  await world.telegramFault('copyMessage', 'rate-limit', { retry_after: 600, times: 10 });
  await admin.tapAndRead('Send to', 'Slowed down by Telegram');
}

/** Sends /forget and confirms it. Returns the question. */
export async function forget(person: Person): Promise<ShownMessage> {
  const asked = await person.ask('/forget', 'Erase your data?');
  await person.tap('Yes, forget me');
  return asked;
}
