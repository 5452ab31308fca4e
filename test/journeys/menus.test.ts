import { expect } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { journeysWith } from '../support/journey.ts';
import { ADMIN, HOLDER, MERCHANT, type World } from '../support/world.ts';

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
