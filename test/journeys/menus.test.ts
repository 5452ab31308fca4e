import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journey as it, journeysWith } from '../support/journey.ts';
import { ADDRESS, ADMIN, HOLDER, MERCHANT, type World } from '../support/world.ts';

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
