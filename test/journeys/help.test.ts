import { expect, test } from 'vitest';
import { findButton, type ShownMessage } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
import { ADDRESS, HOLDER, inWorld } from '../support/world.ts';

const labels = ({ keyboard = [] }: ShownMessage) => keyboard.flat().map(({ text }) => text);

test.concurrent('shows the ten questions in the help message, with a way back', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await person.say('/help');
    const help = await person.reads('What people ask');
    expect(labels(help).slice(0, 10)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
    for (const [number, says] of [
      ['1', 'The one that sends'],
      ['3', 'Whatever energy is missing is paid for by burning TRX'],
      ['10', 'At most 1000.00 TRX leave the account within 24 hours'],
    ] as const) {
      const [, button] = findButton([await person.shows(help, 'What people ask')], number) ?? [];
      await person.tapData(help.message_id, button?.data ?? '');
      await person.shows(help, says);
      await person.tap('‹ Back');
    }
    await person.shows(help, 'What people ask');
    await person.tap('All commands');
    await person.shows(help, '/prices · What it costs right now');
  }));

test.concurrent('continues a purchase while its help is open, by text or from the repeated question', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.say('/buy');
    const address = await person.reads('Which address');
    await person.tap('❓');
    const sender = await person.readsBelow(address, 'Which address gets the energy?');
    expect(labels(sender)).toEqual(['‹ Back to the question']);
    await person.say(ADDRESS);
    const purpose = await person.readsBelow(sender, 'What is it for');
    await person.tap('❓');
    const amount = await person.readsBelow(purpose, 'How much energy do I need?');
    await person.tap('Back to the question');
    await person.shows(amount, 'What is it for');
    await world.settled();
    const shown = await person.messages();
    expect(labels(shown.find(({ message_id }) => message_id === purpose.message_id) ?? purpose)).toEqual([]);
    await person.tap('recipient holds USDT');
    await person.readsBelow(amount, 'For how long');
    await person.tap('1 hour');
    const card = await person.readsBelow(amount, 'Check before you confirm');
    await person.tap('Confirm');
    await person.shows(card, '✅ Bought');
    // The purchase is over, so Back leads to Help.
    await person.tapData(sender.message_id, 'help:return');
    await person.shows(sender, 'What people ask');
    await person.shows(card, '✅ Bought');
  }));

test.concurrent('accepts and deletes a key after its help was opened', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await person.say('/start');
    await person.tap('Link account');
    const question = await person.reads('Waiting for your key');
    await person.tap('❓');
    await person.readsBelow(question, 'Is my API key safe');
    const { message_id } = await person.say('demo-key');
    await person.reads('Account linked');
    expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
  }));

test.concurrent('explains an unknown outcome below the receipt, which does not change', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await world.fault('POST /energy/buy', 'error-before', { times: 1 });
    await person.say('/buy');
    await person.reads('Which address');
    for (const words of [ADDRESS, '65000', '1 hour']) await person.say(words);
    const card = await person.reads('Check before you confirm');
    await person.tap('Confirm');
    const receipt = await person.shows(card, "The outcome isn't known yet");
    const [, button] = findButton([receipt], '❓') ?? [];
    await person.tapData(receipt.message_id, button?.data ?? '');
    const help = await person.readsBelow(receipt, 'To the service a second request');
    await person.tapData(help.message_id, 'help:open');
    await person.shows(help, 'What people ask');
    await person.shows(receipt, "The outcome isn't known yet");
  }));
