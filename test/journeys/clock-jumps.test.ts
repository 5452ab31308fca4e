import { expect } from 'vitest';
import { journeysWith } from '../support/journey.ts';
import { linkAccount, linkOf, makeInvoice, onFirstInvoice, toCard } from '../support/steps.ts';
import { GUEST } from '../support/world.ts';

const HOUR = 3600_000;

journeysWith({ push: false })(
  'an invoice that looked expired while the clock was an hour ahead is payable again, and its payment is shown',
  async (merchant, world) => {
    await linkAccount(merchant, 'merchant-key');
    const card = await makeInvoice(merchant);
    const payer = world.person(GUEST);
    await payer.follow(linkOf(card));
    const shown = await payer.reads('Pay ');
    world.setClockError(HOUR);
    await payer.shows(shown, 'Expired');
    world.setClockError(0);
    await payer.shows(shown, 'to this address');
    await onFirstInvoice(world, 'pay');
    await world.advance(3);
    await payer.shows(shown, 'Paid. The energy is on its way.');
    await merchant.shows(card, 'Paid. The energy is on its way.');
  },
);

// With the usual guard against a second tap.
journeysWith({ appOptions: { pace: { confirmableAfterMs: 700 } } })(
  'a card can be confirmed after the clock was set back by an hour',
  async (user, world) => {
    await linkAccount(user);
    const card = await toCard(user);
    await world.settled();
    world.setClockError(-HOUR);
    await user.confirm(card, 'Bought');
    expect(world.countRequests('POST /energy/buy')).toBe(1);
  },
);
