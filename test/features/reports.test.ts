import { describe, expect, test, vi } from 'vitest';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ACCOUNT, accepted } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const HOLDER = USER + 1;

/** Opens a chat whose account has an active webhook. */
async function withReports(...given: Parameters<typeof openChat>) {
  const chat = await openChat(...given);
  await chat.webhookSubscriptions.activate('a-hook', ACCOUNT, 'a-secret');
  const removed = { url: '', secret: '', active: false };
  chat.setup.rental.configureWebhook.mockResolvedValue(accepted(removed));
  return chat;
}

describe.each(LANGUAGES)('alerts in %s', (language) => {
  test.each([
    ['/account', 'account'],
    ['/notifications', 'notifications'],
    ['/webhooklog', 'webhook-log'],
  ])('are turned off after a question in the message of %s, with a way back', async (command, origin) => {
    const chat = await withReports(language);
    await chat.write(command);
    const [screen, message] = [chat.last(), chat.lastMessage()];
    expect(Object.values(buttonsOf(screen))).toContain(`reports:off:${origin}`);
    await chat.tap(`reports:off:${origin}`, { message, carried: true });
    expect(chat.lastMessage()).toBe(message);
    expect(chat.last().html).toContain(chat.words.html('reports-off-ask'));
    expect(Object.values(buttonsOf(chat.last()))).toEqual(['reports:off-yes', `${origin}:open`]);
    expectWithinLimits(chat.last());
    expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(true);
    expect(chat.setup.rental.configureWebhook).not.toHaveBeenCalled();
    await chat.tap(`${origin}:open`, { message, carried: true });
    expect(chat.last()).toEqual(screen);
    await chat.tap('reports:off-yes', { message, carried: true });
    expect(chat.last().html).toContain(chat.words.html('reports-off'));
    expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  });

  test('mention the other account holders before they are turned off', async () => {
    const chat = await withReports(language);
    await chat.links.link(HOLDER, ACCOUNT, 'a-key-of-another', language);
    await chat.tap('reports:off');
    const others = chat.words.html('reports-off-others', { account: String(ACCOUNT), others: 1 });
    expect(chat.last().html).toContain(others);
  });

  test('are reported as off at once if they are off already', async () => {
    const chat = await openChat(language);
    await chat.tap('reports:off');
    expect(chat.last().html).toBe(chat.words.html('reports-was-off'));
  });

  test('stay on if they are turned on while the question is shown', async () => {
    const chat = await withReports(language);
    vi.spyOn(chat.webhookSubscriptions, 'isActive').mockResolvedValueOnce(false);
    await chat.tap('reports:off');
    expect(chat.setup.rental.configureWebhook).not.toHaveBeenCalled();
    expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(true);
  });

  test('have the same name on every screen', async () => {
    const name = language === 'en' ? /service reports/i : /отчёты сервиса/i;
    const chat = await withReports(language);
    for (const command of ['/account', '/notifications', '/webhooklog']) {
      await chat.write(command);
      expect(chat.last().html).toMatch(name);
      expect(Object.keys(buttonsOf(chat.last())).join()).toMatch(name);
    }
  });
});

test('turning alerts off notifies the other holders with the same id when the update is repeated', async () => {
  const notifyReportsOff = vi.fn(async (_account: number, _by: number, _update: number) => {});
  notifyReportsOff.mockRejectedValueOnce(new Error('the storage is away'));
  const chat = await withReports('en', { notifyReportsOff });
  await expect(chat.tap('reports:off-yes')).rejects.toThrow('the storage is away');
  await chat.again();
  expect(await chat.webhookSubscriptions.isActive(ACCOUNT)).toBe(false);
  const [first, second, ...others] = notifyReportsOff.mock.calls;
  expect([second, others]).toEqual([first, []]);
});

test('/menu shows the same menu as /start', async () => {
  const chat = await openChat('en');
  await chat.write('/start');
  const menu = chat.last();
  await chat.write('/menu');
  expect(chat.last()).toEqual(menu);
});
