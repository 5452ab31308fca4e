import { expect, test } from 'vitest';
import { createPerson, findButton } from '../support/person.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { ADDRESS, GUEST, HOLDER, inWorld, MERCHANT } from '../support/world.ts';

const GROUP = -1001;

test.concurrent('shows a guest the menu, the prices and how to get an account', () =>
  inWorld(
    { config: { rentalApiKey: 'operator-key', accountUrl: 'https://account.example/' } },
    async (world) => {
      const person = world.person(GUEST);
      await person.say('/start');
      const menu = await person.reads('Energy and bandwidth on TRON');
      const labels = menu.keyboard?.flat().map(({ text }) => text);
      expect(labels).toEqual([
        expect.stringContaining('Buy energy'),
        expect.stringContaining('Link account'),
        expect.stringContaining('Open an account'),
        expect.stringContaining('My invoices'),
        expect.stringContaining('Prices'),
        expect.stringContaining('Settings'),
        expect.stringContaining('Help'),
      ]);
      expect(findButton([menu], 'Open an account')?.[1].url).toBe('https://account.example/');
      await person.tap('Prices');
      const prices = await person.reads('What it costs right now');
      expect(prices.text).toContain('1 hour: 2.32 TRX');
      expect(prices.text).toContain('Without energy it burns about 6.50 TRX');
      expect(prices.text).toContain('Activating an address: 1.10 TRX');
      await person.say('/bandwidth');
      const invitation = await person.reads('For this you need an account');
      expect(invitation.text).toContain('link it with its API key');
      for (const command of ['/bandwidth', '/account']) {
        await person.say(command);
        await world.settled();
        expect((await person.messages()).at(-1)?.text).toBe(invitation.text);
      }
      await person.tap('Link account');
      await person.reads('Waiting for your key');
    },
  ));

test.concurrent('uses Russian for a Russian-speaking user, up to the order', () =>
  inWorld({}, async (world) => {
    const person = world.person(MERCHANT);
    await person.say('/start');
    await person.tap('Привязать аккаунт');
    await person.reads('Жду ваш ключ');
    await person.say('merchant-key');
    expect((await person.reads('Аккаунт привязан')).text).toContain('Баланс: 250.00 TRX');
    await person.tap('Купить энергию');
    await person.reads('Какой адрес');
    await person.say('не адрес');
    await person.reads('Не вижу здесь адреса TRON');
    await person.say(ADDRESS);
    await person.tap('у получателя ещё нет USDT');
    await person.say('сутки');
    const card = await person.reads('Проверьте, прежде чем подтвердить');
    expect(card.text).toContain('24 часа');
    expect(card.text?.replace(/\s/g, ' ')).toContain('131 000');
    await person.say('Подтвердить');
    await person.shows(card, 'Продолжение ниже');
    const again = await person.readsBelow(card, 'Словами не подтвердить');
    await person.tap('Подтвердить');
    await person.shows(again, 'Куплено');
    await person.shows(again, 'Осталось на балансе');
    expect((await world.rental()).orders).toMatchObject([{ energy_amount: 131_000, duration_hours: 24 }]);
  }));

test.concurrent('keeps the language that was chosen in the settings', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.tap('More');
    await person.tap('Settings');
    await person.tap('Русский');
    await person.reads('Что сделаем?');
    await person.say('/settings');
    await person.reads('Язык: русский');
    await person.say('/buy');
    await person.say(ADDRESS);
    await person.tap('есть USDT');
    await person.tap('1 час');
    await person.tap('Подтвердить');
    await person.reads('Куплено');
    await person.say('/settings');
    await person.tap('English');
    await person.reads('What would you like to do?');
  }));

test.concurrent('only links to the private chat in a group', () =>
  inWorld({}, async (world) => {
    await linkAccount(world.person(HOLDER));
    const group = createPerson({ requests: world.requests, chat: GROUP });
    for (const text of ['/start', '/buy', '/account', 'hello', 'demo-key@rental_demo_bot']) {
      await world.control('POST', `/telegram/chats/${GROUP}/messages`, { text, from: HOLDER });
    }
    await world.settled();
    const said = (await group.messages()).filter(({ from }) => from === 'bot');
    expect(said).toHaveLength(3);
    for (const message of said) {
      expect(message.text).toBe('I work in a private chat, where only you see your account.');
      expect(message.keyboard?.flat().map(({ url }) => url)).toEqual([
        'https://t.me/rental_demo_bot?start=group',
      ]);
    }
    await world.person(HOLDER).follow('https://t.me/rental_demo_bot?start=group');
    await world.person(HOLDER).reads('What would you like to do?');
    await group.tapData(said[0]?.message_id ?? 0, 'account:open', HOLDER);
    await group.tapData(said[0]?.message_id ?? 0, 'energy:open', HOLDER);
    await world.settled();
    expect((await group.messages()).filter(({ from }) => from === 'bot')).toEqual(said);
  }));

test.concurrent('shows help, account and deposit address, and ends an open flow on /cancel', () =>
  inWorld({}, async (world) => {
    const person = world.person(HOLDER);
    await linkAccount(person);
    await person.say('/help');
    const help = await person.reads('How this works');
    expect(help.keyboard?.flat().map(({ url }) => url)).toContain('https://support.example/');
    await person.say('/account');
    const account = await person.reads('Two-factor codes');
    expect(account.text).toContain('Balance: 1000.00 TRX');
    await person.say('/start');
    await person.tap('Balance');
    await person.tap('Deposit');
    const { accounts } = await world.rental();
    const deposit = await person.reads('= 3.0769 TRX');
    expect(findButton([deposit], 'Copy address')?.[1].copy).toBe(accounts[0]?.deposit_address);
    await person.say('/cancel');
    await person.reads('There was nothing to stop');
    await person.say('/buy');
    await person.reads('Which address');
    await person.say('/cancel');
    await person.reads('Stopped. Nothing was done');
    await person.say('hello');
    await person.reads("I didn't understand that");
    const card = await toCard(person);
    await person.say('/cancel');
    await person.shows(card, 'Cancelled. Nothing was charged');
  }));
