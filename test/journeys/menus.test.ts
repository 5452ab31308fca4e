import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import { createPerson, findButton, type ShownMessage } from '../support/person.ts';
import { linkAccount, toCard } from '../support/steps.ts';
import { ADDRESS, ADMIN, GUEST, HOLDER, inWorld, MERCHANT, type World } from '../support/world.ts';

const GROUP = -1001;

test.concurrent('shows a guest the menu, the prices and how to get an account', () =>
  inWorld(
    { config: { rentalApiKey: 'operator-key', accountUrl: 'https://account.example/' } },
    async (world) => {
      const person = world.person(GUEST);
      const menu = await person.sayAndRead('/start', 'Energy and bandwidth on TRON');
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
      const prices = await person.tapAndRead('Prices', 'What it costs right now');
      expect(prices.text).toContain('1 hour: 2.32 TRX');
      expect(prices.text).toContain('Without energy it burns about 6.50 TRX');
      expect(prices.text).toContain('Activating an address: 1.10 TRX');
      const invitation = await person.sayAndRead('/bandwidth', 'For this you need an account');
      expect(invitation.text).toContain('link it with its API key');
      for (const command of ['/bandwidth', '/account']) {
        await person.say(command);
        await world.settled();
        expect((await person.messages()).at(-1)?.text).toBe(invitation.text);
      }
      await person.tapAndRead('Link account', 'Waiting for your key');
    },
  ));

it('uses Russian for a Russian-speaking user, up to the order', async (_person, world) => {
  const person = world.person(MERCHANT);
  await person.say('/start');
  await person.tapAndRead('Привязать аккаунт', 'Жду ваш ключ');
  await person.say('merchant-key');
  expect((await person.reads('Аккаунт привязан')).text).toContain('Баланс: 250.00 TRX');
  await person.tapAndRead('Купить энергию', 'Какой адрес');
  await person.sayAndRead('не адрес', 'Не вижу здесь адреса TRON');
  await person.say(ADDRESS);
  await person.tap('у получателя ещё нет USDT');
  const card = await person.sayAndRead('сутки', 'Проверьте, прежде чем подтвердить');
  expect(card.text).toContain('24 часа');
  expect(card.text?.replace(/\s/g, ' ')).toContain('131 000');
  await person.say('Подтвердить');
  await person.shows(card, 'Продолжение ниже');
  const again = await person.reads('Словами не подтвердить', card);
  await person.tapToShow('Подтвердить', again, 'Куплено');
  await person.shows(again, 'Осталось на балансе');
  expect((await world.rental()).orders).toMatchObject([{ energy_amount: 131_000, duration_hours: 24 }]);
});

it('keeps the language that was chosen in the settings', async (person) => {
  await linkAccount(person);
  await person.tap('More');
  await person.tap('Settings');
  await person.tapAndRead('Русский', 'Что сделаем?');
  await person.sayAndRead('/settings', 'Язык: русский');
  await person.say('/buy');
  await person.say(ADDRESS);
  await person.tap('есть USDT');
  await person.tap('1 час');
  await person.tapAndRead('Подтвердить', 'Куплено');
  await person.say('/settings');
  await person.tapAndRead('English', 'What would you like to do?');
});

it('only links to the private chat in a group', async (_person, world) => {
  await linkAccount(world.person(HOLDER));
  const group = createPerson({ requests: world.requests, chat: GROUP });
  for (const text of ['/start', '/buy', '/account', 'hello', 'demo-key@rental_demo_bot']) {
    await world.control('POST', `/telegram/chats/${GROUP}/messages`, { text, from: HOLDER });
  }
  await world.settled();
  const found = (await group.messages()).filter(({ from }) => from === 'bot');
  expect(found).toHaveLength(3);
  for (const message of found) {
    expect(message.text).toBe('I work in a private chat, where only you see your account.');
    expect(message.keyboard?.flat().map(({ url }) => url)).toEqual([
      'https://t.me/rental_demo_bot?start=group',
    ]);
  }
  await world.person(HOLDER).follow('https://t.me/rental_demo_bot?start=group');
  await world.person(HOLDER).reads('What would you like to do?');
  await group.tapData(found[0]?.message_id ?? 0, 'account:open', HOLDER);
  await group.tapData(found[0]?.message_id ?? 0, 'energy:open', HOLDER);
  await world.settled();
  expect((await group.messages()).filter(({ from }) => from === 'bot')).toEqual(found);
});

it('shows help, account and deposit address, and ends an open flow on /cancel', async (person, world) => {
  await linkAccount(person);
  const help = await person.sayAndRead('/help', 'How this works');
  expect(help.keyboard?.flat().map(({ url }) => url)).toContain('https://support.example/');
  const account = await person.sayAndRead('/account', 'Two-factor codes');
  expect(account.text).toContain('Balance: 1000.00 TRX');
  await person.say('/start');
  await person.tap('Balance');
  await person.tap('Deposit');
  const { accounts } = await world.rental();
  const deposit = await person.reads('= 3.0769 TRX');
  expect(findButton([deposit], 'Copy address')?.[1].copy).toBe(accounts[0]?.deposit_address);
  await person.sayAndRead('/cancel', 'There was nothing to stop');
  await person.sayAndRead('/buy', 'Which address');
  await person.sayAndRead('/cancel', 'Stopped. Nothing was done');
  await person.sayAndRead('hello', "I didn't understand that");
  const card = await toCard(person);
  await person.say('/cancel');
  await person.shows(card, 'Cancelled. Nothing was charged');
});

const labels = ({ keyboard = [] }: ShownMessage) => keyboard.flat().map(({ text }) => text);

it('shows the ten questions in the help message, with a way back', async (person) => {
  const help = await person.sayAndRead('/help', 'What people ask');
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
  await person.tapToShow('All commands', help, '/prices · What it costs right now');
});

it('continues a purchase while its help is open, by text or from the repeated question', async (person, world) => {
  await linkAccount(person);
  const address = await person.sayAndRead('/buy', 'Which address');
  const sender = await person.tapAndRead('❓', 'Which address gets the energy?', address);
  expect(labels(sender)).toEqual(['‹ Back to the question']);
  const purpose = await person.sayAndRead(ADDRESS, 'What is it for', sender);
  const amount = await person.tapAndRead('❓', 'How much energy do I need?', purpose);
  await person.tapToShow('Back to the question', amount, 'What is it for');
  await world.settled();
  const shown = await person.messages();
  expect(labels(shown.find(({ message_id }) => message_id === purpose.message_id) ?? purpose)).toEqual([]);
  await person.tapAndRead('recipient holds USDT', 'For how long', amount);
  const card = await person.tapAndRead('1 hour', 'Check before you confirm', amount);
  await person.confirm(card, '✅ Bought');
  // The purchase is over, so Back leads to Help.
  await person.tapData(sender.message_id, 'help:return');
  await person.shows(sender, 'What people ask');
  await person.shows(card, '✅ Bought');
});

it('accepts and deletes a key after its help was opened', async (person) => {
  await person.say('/start');
  const question = await person.tapAndRead('Link account', 'Waiting for your key');
  await person.tapAndRead('❓', 'Is my API key safe', question);
  const { message_id } = await person.say('demo-key');
  await person.reads('Account linked');
  expect((await person.messages()).map((message) => message.message_id)).not.toContain(message_id);
});

it('explains an unknown outcome below the receipt, which does not change', async (person, world) => {
  await linkAccount(person);
  await world.fault('POST /energy/buy', 'error-before', { times: 1 });
  await person.sayAndRead('/buy', 'Which address');
  for (const words of [ADDRESS, '65000', '1 hour']) await person.say(words);
  const card = await person.reads('Check before you confirm');
  const receipt = await person.confirm(card, "The outcome isn't known yet");
  const [, button] = findButton([receipt], '❓') ?? [];
  await person.tapData(receipt.message_id, button?.data ?? '');
  const help = await person.reads('To the service a second request', receipt);
  await person.tapData(help.message_id, 'help:open');
  await person.shows(help, 'What people ask');
  await person.shows(receipt, "The outcome isn't known yet");
});

/** Returns the commands that Telegram lists in this chat, with their descriptions. */
async function listed(world: World, chat: number, language: string) {
  const { commands } = await world.control<{ commands: { command: string; description: string }[] }>(
    'GET',
    `/telegram/bot?language=${language}&chat=${chat}`,
  );
  return Object.fromEntries(commands.map(({ command, description }) => [command, description]));
}

journeysWith({ onRedis: true })(
  'lists commands in the chosen language, and admin commands only for current admins',
  async (_person, world) => {
    const [admin, merchant] = [world.person(ADMIN), world.person(MERCHANT)];
    await admin.say('/start');
    await merchant.sayAndRead('/settings', 'Язык');
    await merchant.tap('English');
    await eventually(async () => {
      expect(await listed(world, ADMIN, 'en')).toMatchObject({
        help: 'How this works',
        state: 'How everything stands, and maintenance mode',
        admin: 'What admins have',
      });
      expect((await listed(world, MERCHANT, 'ru')).help).toBe('How this works');
    });
    expect(await listed(world, MERCHANT, 'ru')).not.toHaveProperty('admin');
    expect((await listed(world, HOLDER, 'ru')).help).toBe('Как это работает');
    expect(await listed(world, HOLDER, 'en')).not.toHaveProperty('admin');

    await world.restart({ adminIds: new Set([MERCHANT]) });
    await admin.say('/start');
    await merchant.say('/start');
    await eventually(async () => {
      expect(await listed(world, ADMIN, 'ru')).toEqual(await listed(world, HOLDER, 'ru'));
      expect(await listed(world, MERCHANT, 'ru')).toMatchObject({ admin: 'What admins have' });
    });
  },
);

describe('groups', () => {
  const GROUP = -1_001_000_502;

  interface Call {
    method: string;
    params: Record<string, unknown>;
  }

  let updates = 700_000;

  /** Sends a text of the account holder in a group. Returns the bot's calls for this group. */
  async function sayInGroup(world: World, text: string): Promise<Call[]> {
    const before = (await world.control<Call[]>('GET', '/telegram/calls')).length;
    const [command] = /^\/\w+(@\w+)?/.exec(text) ?? [];
    const update = {
      update_id: updates++,
      message: {
        message_id: updates,
        date: 0,
        chat: { id: GROUP, type: 'supergroup', title: 'A group' },
        from: { id: HOLDER, is_bot: false, first_name: 'Holder', language_code: 'en' },
        text,
        ...(command && { entities: [{ type: 'bot_command', offset: 0, length: command.length }] }),
      },
    };
    expect(await world.deliver(update)).toBe(200);
    const calls = (await world.control<Call[]>('GET', '/telegram/calls')).slice(before);
    // Ignores late messages about the link, which go to the private chat.
    return calls.filter(({ params }) => Number(params.chat_id) === GROUP);
  }

  it('links to the private chat in a group instead of showing balances or starting flows', async (person, world) => {
    await linkAccount(person);
    const shown = (await person.messages()).length;
    for (const command of ['/start', '/account', '/deposit', '/withdraw 5', `/buy ${ADDRESS} 65000 24`]) {
      const calls = await sayInGroup(world, command);
      expect(calls.map(({ method }) => method)).toEqual(['sendMessage']);
      const { chat_id: _, ...said } = calls[0]?.params ?? {};
      expect(JSON.stringify(said)).toContain('start=group');
      expect(JSON.stringify(said)).not.toMatch(/1001|1000\.00|demo@example/);
    }
    for (const words of [ADDRESS, 'hello', `tron:${ADDRESS}`])
      expect(await sayInGroup(world, words)).toEqual([]);
    expect((await person.messages()).length).toBe(shown);
    expect((await world.rental()).orders).toEqual([]);
  });

  test.each([
    ['a key', 'whsk1234567890abcdefghijklmnop12', 'Replace the key at the rental service now'],
    ['a code', '/withdraw@rental_demo_bot 123456', "don't use it any more"],
  ])('deletes %s written in a group without using it, and notifies its owner', (_, text, told) =>
    inWorld({}, async (world) => {
      const person = await linkAccount(world.person(HOLDER));
      const requestsBefore = world.countRequests('GET /account/profile');
      const calls = await sayInGroup(world, text);
      expect(calls.map(({ method }) => method)).toEqual(['deleteMessage']);
      await person.reads(told);
      expect(world.countRequests('GET /account/profile')).toBe(requestsBefore);
    }),
  );
});
