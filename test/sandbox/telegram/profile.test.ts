import { describe, expect, it } from 'vitest';
import { badRequest, useTelegram } from './telegram-server.ts';

const { call, control, write } = useTelegram();

const command = (name: string, description = 'Does it') => ({ command: name, description });

describe('the commands in the menu', () => {
  it('are those of the language, with private chats before the default', async () => {
    const menu = async (language: string) =>
      ((await control(`GET /bot?language=${language}`)).commands as { command: string }[]).map(
        (one) => one.command,
      );
    expect(await menu('en')).toEqual([]);
    await call('setMyCommands', { commands: [command('help')] });
    await call('setMyCommands', { commands: [command('/pomosch')], language_code: 'ru' });
    expect([await menu('en'), await menu('ru')]).toEqual([['help'], ['pomosch']]);
    const scope = { type: 'all_private_chats' };
    await call('setMyCommands', { commands: [command('buy')], scope });
    expect([await menu('en'), await menu('ru')]).toEqual([['buy'], ['buy']]);
    expect((await call('getMyCommands', { scope })).result).toEqual([command('buy')]);
    expect((await call('getMyCommands', { language_code: 'ru' })).result).toEqual([command('pomosch')]);
    await call('deleteMyCommands', { scope });
    expect(await menu('en')).toEqual(['help']);
  });

  it('prefer those of the chat, and at each level those of the language', async () => {
    await write('/start', 501);
    await write('/start', 502);
    const menu = async (chat: number, language: string) => {
      const { commands } = await control(`GET /bot?language=${language}&chat=${chat}`);
      return (commands as { command: string }[]).map((one) => one.command).join();
    };
    const seen = async () => [
      await menu(501, 'en'),
      await menu(501, 'ru'),
      await menu(502, 'en'),
      await menu(502, 'ru'),
    ];
    const scope = { type: 'chat', chat_id: 501 };
    const everywhere = { type: 'all_private_chats' };
    const set = (name: string, more: object) => call('setMyCommands', { commands: [command(name)], ...more });
    await set('default', {});
    await set('default_ru', { language_code: 'ru' });
    expect(await seen()).toEqual(['default', 'default_ru', 'default', 'default_ru']);
    await set('private', { scope: everywhere });
    await set('private_ru', { scope: everywhere, language_code: 'ru' });
    expect(await seen()).toEqual(['private', 'private_ru', 'private', 'private_ru']);
    await set('chat', { scope });
    expect(await seen()).toEqual(['chat', 'chat', 'private', 'private_ru']);
    await set('chat_ru', { scope: { ...scope, chat_id: '501' }, language_code: 'ru' });
    expect(await seen()).toEqual(['chat', 'chat_ru', 'private', 'private_ru']);
    expect((await call('getMyCommands', { scope, language_code: 'ru' })).result).toEqual([
      command('chat_ru'),
    ]);
    expect((await call('getMyCommands', { scope: { ...scope, chat_id: 502 } })).result).toEqual([]);
    await call('deleteMyCommands', { scope });
    expect(await seen()).toEqual(['private', 'chat_ru', 'private', 'private_ru']);
    await call('setMyCommands', { commands: [], scope, language_code: 'ru' });
    expect(await menu(501, 'ru')).toBe('private_ru');
  });

  it.each([
    [{ type: 'chat' }, 'chat_id is empty'],
    [{ type: 'chat', chat_id: 77 }, 'chat not found'],
    [{ type: 'chat', chat_id: 503 }, 'chat not found'],
    [{ type: 'chat', chat_id: '@demo_guest' }, 'chat not found'],
    [
      { type: 'chat_member', chat_id: 502, user_id: 502 },
      "can't change commands of chat_member in private chats",
    ],
  ])('are rejected for an unknown chat (case %#)', async (scope, problem) => {
    await write('/start', 502);
    for (const method of ['setMyCommands', 'getMyCommands', 'deleteMyCommands'])
      expect(await call(method, { commands: [command('buy')], scope }), method).toMatchObject(
        badRequest(problem),
      );
  });

  it.each([
    [{ commands: [command('Buy')] }, 'BOT_COMMAND_INVALID'],
    [{ commands: [command('x'.repeat(33))] }, 'BOT_COMMAND_INVALID'],
    [{ commands: [command('')] }, 'BOT_COMMAND_INVALID'],
    [{ commands: [command('buy', '')] }, 'BOT_COMMAND_DESCRIPTION_INVALID'],
    [{ commands: [command('buy', 'x'.repeat(257))] }, 'BOT_COMMAND_DESCRIPTION_INVALID'],
    [{ commands: Array.from({ length: 101 }, (_, index) => command(`c${index}`)) }, 'BOT_COMMANDS_TOO_MUCH'],
    [{ commands: [], language_code: 'english' }, 'invalid language code specified'],
    [
      { commands: [], scope: { type: 'everywhere' } },
      "can't parse BotCommandScope: unsupported type specified",
    ],
  ])('are rejected (case %#)', async (params, problem) => {
    expect(await call('setMyCommands', params)).toMatchObject(badRequest(problem));
  });
});

describe('the bot’s profile', () => {
  it('is shown per language', async () => {
    await call('setMyDescription', { description: 'Rents energy' });
    await call('setMyDescription', { description: 'Сдаёт энергию', language_code: 'ru' });
    await call('setMyShortDescription', { short_description: 'Energy' });
    expect(await control('GET /bot?language=de')).toMatchObject({
      id: 700,
      username: 'rental_demo_bot',
      name: 'Energy Rental',
      description: 'Rents energy',
      short_description: 'Energy',
    });
    expect(await control('GET /bot?language=ru')).toMatchObject({ description: 'Сдаёт энергию' });
    expect((await call('getMyDescription', { language_code: 'ru' })).result).toEqual({
      description: 'Сдаёт энергию',
    });
    expect((await call('getMyShortDescription')).result).toEqual({ short_description: 'Energy' });
  });

  it.each([
    ['setMyDescription', { description: 'x'.repeat(513) }],
    ['setMyShortDescription', { short_description: 'x'.repeat(121) }],
    ['setMyDescription', { description: 'x', language_code: 'xyz' }],
    ['setChatMenuButton', { menu_button: { type: 'party' } }],
    ['setChatMenuButton', { chat_id: 77 }],
  ])('%s is rejected (case %#)', async (method, params) => {
    expect((await call(method, params)).status).toBe(400);
  });

  it('has a menu button, for all chats or for one', async () => {
    const button = async (chat_id?: number) => (await call('getChatMenuButton', { chat_id })).result;
    expect(await button(501)).toEqual({ type: 'commands' });
    await call('setChatMenuButton', { menu_button: { type: 'default' } });
    await call('setChatMenuButton', { chat_id: 502, menu_button: { type: 'commands' } });
    expect([await button(501), await button(502)]).toEqual([{ type: 'default' }, { type: 'commands' }]);
  });
});
