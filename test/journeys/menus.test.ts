import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import { createPerson, findButton } from '../support/person.ts';
import { linkAccount } from '../support/steps.ts';
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
      const prices = await person.tapAndRead('Prices', 'Current prices');
      expect(prices.text).toMatch(/65,000 +\*2\.32 +\d\.\d\d +6\.50/);
      expect(prices.text).toContain('Address activation: 1.10 TRX');
      const invitation = await person.sayAndRead('/bandwidth', 'You need an account for this');
      expect(invitation.text).toContain('Link your account at the rental service');
      for (const command of ['/bandwidth', '/account']) {
        await person.say(command);
        await world.settled();
        expect((await person.messages()).at(-1)?.text).toBe(invitation.text);
      }
      await person.tapAndRead('Link account', 'Send your API key');
    },
  ));

it('uses Russian for a Russian-speaking user, up to the order', async (_person, world) => {
  const person = world.person(MERCHANT);
  await person.say('/start');
  await person.tapAndRead('Привязать аккаунт', 'Пришлите API-ключ');
  await person.say('merchant-key');
  expect((await person.reads('Аккаунт привязан')).text).toContain('Баланс: 250,00 TRX');
  await person.tapAndRead('Купить энергию', 'С какого адреса');
  await person.sayAndRead('не адрес', 'Не вижу адреса TRON');
  await person.say(ADDRESS);
  await person.tap('На кошелёк без USDT');
  const card = await person.sayAndRead('сутки', 'Проверьте и подтвердите');
  expect(card.text).toContain('24 ч');
  expect(card.text?.replace(/\s/g, ' ')).toContain('131 000');
  await person.say('Подтвердить');
  await person.shows(card, 'Продолжение ниже');
  const again = await person.reads('Чтобы подтвердить, нажмите кнопку', card);
  await person.tapToShow('Подтвердить', again, 'Куплено');
  await person.shows(again, 'Осталось на балансе');
  expect((await world.rental()).orders).toMatchObject([{ energy_amount: 131_000, duration_hours: 24 }]);
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
    expect(message.text).toBe('I work only in a private chat.');
    expect(message.keyboard?.flat().map(({ url }) => url)).toEqual([
      'https://t.me/rental_demo_bot?start=group',
    ]);
  }
  await world.person(HOLDER).follow('https://t.me/rental_demo_bot?start=group');
  await world.person(HOLDER).reads('Energy and bandwidth on TRON');
  await group.tapData(found[0]?.message_id ?? 0, 'account:open', HOLDER);
  await group.tapData(found[0]?.message_id ?? 0, 'energy:open', HOLDER);
  await world.settled();
  expect((await group.messages()).filter(({ from }) => from === 'bot')).toEqual(found);
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
        state: 'State and maintenance mode',
        admin: 'Admin menu',
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
      expect(await listed(world, MERCHANT, 'ru')).toMatchObject({ admin: 'Admin menu' });
    });
  },
);
