import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { linkAccount, operationOf, toCard } from '../support/steps.ts';
import { HOLDER, inWorld } from '../support/world.ts';

test('notifies a user who blocked the bot during a purchase once after unblocking it', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    const act = (what: 'block' | 'unblock') => world.control('POST', `/telegram/chats/${HOLDER}/${what}`);
    await linkAccount(person);
    const card = await toCard(person);
    await world.fault('POST /energy/buy', 'latency', { ms: 1_500 });
    await person.tap('Confirm');
    await person.shows(card, 'Buying');
    await act('block');
    await eventually(async () => expect((await world.rental()).orders).toHaveLength(1));
    await eventually(() => expect(world.log.join('\n')).toContain('an attempt has an outcome'));
    await eventually(async () => {
      const calls = await world.control<{ status: number }[]>(
        'GET',
        '/telegram/calls?method=editMessageText',
      );
      expect(calls.some(({ status }) => status === 403)).toBe(true);
    });

    await act('unblock');
    const news = await person.readsBelow(card, 'Bought');
    expect(operationOf(news)).toBe(operationOf(card));
    await person.shows(card, 'Bought');
    await person.say('/start');
    await person.readsBelow(news, 'What would you like to do');
    await world.settled();
    const told = (await person.messages()).filter(
      ({ message_id, text }) => message_id > card.message_id && text?.includes('Bought'),
    );
    expect(told).toHaveLength(1);
  }));
