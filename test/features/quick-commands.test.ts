import { describe, expect, test } from 'vitest';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS, profileOf } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
const CHECK = 'Check before you confirm';

type Chat = Awaited<ReturnType<typeof openChat>>;

async function open(more: Parameters<typeof openChat>[1] = {}, codes = true): Promise<Chat> {
  const chat = await openChat('en', more);
  const profile = profileOf('1000.00');
  chat.setup.rental.profile.mockResolvedValue({
    ...profile,
    value: { ...profile.value, totp_enabled: codes },
  });
  return chat;
}

/** Returns the request of the last card that was shown with Confirm. Later edits of earlier cards have no Confirm. */
async function requested(chat: Chat): Promise<unknown> {
  const ids = chat
    .views()
    .flatMap(({ keyboard }) => keyboard.flat())
    .flatMap((one) => ('callback_data' in one ? one.callback_data : []))
    .flatMap((data) => /^operation:confirm:(\w+)$/.exec(data)?.[1] ?? []);
  return (await chat.setup.read({ user: USER, id: ids.at(-1) ?? '' }))?.request;
}

describe('a command with all arguments leads directly to its card', () => {
  const to = { address: ADDRESS };
  test.each([
    [`/buy ${ADDRESS} 65000 24`, { kind: 'energy', ...to, energy_amount: 65_000, duration_hours: 24 }],
    [`/buy ${ADDRESS} 65 000 1h`, { kind: 'energy', ...to, energy_amount: 65_000, duration_hours: 1 }],
    [
      `/buy ${ADDRESS} 131,000 24 hours`,
      { kind: 'energy', ...to, energy_amount: 131_000, duration_hours: 24 },
    ],
    [`/buy 65000 ${ADDRESS} 1 day`, { kind: 'energy', ...to, energy_amount: 65_000, duration_hours: 24 }],
    [
      `/buy ${ADDRESS.replace(/(.{4})/g, '$1 ')} 65000 24`,
      { kind: 'energy', ...to, energy_amount: 65_000, duration_hours: 24 },
    ],
    [`/buy tron:${ADDRESS}\n65000\n1`, { kind: 'energy', ...to, energy_amount: 65_000, duration_hours: 1 }],
    [
      `/bandwidth ${ADDRESS} 1000 3 days`,
      { kind: 'bandwidth', ...to, bandwidth_amount: 1_000, duration_hours: 72 },
    ],
    [`/bandwidth ${ADDRESS} 350 24`, { kind: 'bandwidth', ...to, bandwidth_amount: 350, duration_hours: 24 }],
    [`/activate ${ADDRESS}`, { kind: 'activation', ...to }],
    [`/withdraw ${OTHER} 12.5`, { kind: 'withdrawal', address: OTHER, trx: '12.50' }],
    [`/withdraw 12.5 TRX ${OTHER}`, { kind: 'withdrawal', address: OTHER, trx: '12.50' }],
    [`/invoice ${ADDRESS} 2 24`, { kind: 'invoice', ...to, transfers: 2, duration_hours: 24, shared: true }],
    [
      `/invoice ${ADDRESS} 65000 1 for the shop`,
      { kind: 'invoice', ...to, energy_amount: 65_000, duration_hours: 1, note: 'for the shop' },
    ],
    [`/smart ${ADDRESS}`, { kind: 'smart-mode', ...to, action: 'start', guarantee: true }],
    [`/smart ${ADDRESS} Main wallet`, { kind: 'smart-mode', ...to, label: 'Main wallet', guarantee: true }],
  ])('%s', async (command, request) => {
    const chat = await open();
    await chat.write(command);
    expect(chat.last().html).toContain(CHECK);
    expect(chat.last().html).toContain(`<code>${String((request as { address: string }).address)}</code>`);
    expect(await requested(chat)).toMatchObject(request);
  });
});

test.each([
  [`/invoice ${ADDRESS} 65 000 24`, { kind: 'invoice', energy_amount: 65_000, duration_hours: 24 }],
  [`/bandwidth ${ADDRESS} 10 000 24`, { kind: 'bandwidth', bandwidth_amount: 10_000, duration_hours: 24 }],
  [`/bandwidth ${ADDRESS} 500 720`, { kind: 'bandwidth', bandwidth_amount: 500, duration_hours: 720 }],
  [`/buy ${ADDRESS} 131 000 24`, { kind: 'energy', energy_amount: 131_000, duration_hours: 24 }],
])('%s: reads a grouped number as one number', async (command, request) => {
  const chat = await open();
  await chat.write(command);
  expect(await requested(chat)).toMatchObject(request);
});

test('a grouped amount of TRX is read completely', async () => {
  const chat = await open();
  chat.setup.rental.profile.mockResolvedValue({
    ...profileOf('5000.00'),
    value: { ...profileOf('5000.00').value, totp_enabled: true },
  });
  await chat.write(`/withdraw ${OTHER} 1 000`);
  expect(await requested(chat)).toMatchObject({ trx: '1000.00' });
});

describe('a command with some arguments', () => {
  test.each([
    [`/buy ${ADDRESS}`, 'What is it for?'],
    [`/buy ${ADDRESS} 65000`, 'For how long?'],
    [`/bandwidth ${ADDRESS}`, 'How much'],
    [`/withdraw ${OTHER}`, 'How much'],
    ['/withdraw 12.5', 'Which address'],
    [`/invoice ${ADDRESS}`, 'How much?'],
  ])('%s', async (command, question) => {
    const chat = await open();
    await chat.write(command);
    expect(chat.last().html).toContain(question);
  });

  test('keeps arguments for later questions', async () => {
    const chat = await open();
    await chat.write('/buy 65000 24');
    expect(chat.last().html).toContain('Which address');
    await chat.write(ADDRESS);
    expect(await requested(chat)).toMatchObject({ energy_amount: 65_000, duration_hours: 24 });
  });

  test('uses the withdrawal address after the amount, with the usual checks', async () => {
    const chat = await open({}, false);
    await chat.write(`/withdraw ${OTHER}`);
    await chat.write('12.5');
    // Without 2FA, the user must type the end of the address again.
    expect(chat.last().html).toContain('last 6 characters');
    await chat.write(OTHER.slice(-6));
    expect(chat.last().html).toContain('A new address waits');
    expect(chat.last().html).toContain(OTHER);
  });
});

describe('an invalid argument is explained at its question and buys nothing', () => {
  test.each([
    [`/buy ${ADDRESS} 12`, 'write an exact amount of energy from 32,000 to 5,000,000'],
    [`/buy ${ADDRESS} 65000 48`, 'Choose 1 hour or 24 hours'],
    [`/buy ${ADDRESS} 65000 24 times`, 'Choose 1 hour or 24 hours'],
    [`/buy ${ADDRESS.slice(0, -1)} 65000 24`, 'That address has 33 characters'],
    [`/buy ${ADDRESS.replace('H', 'Н')} 65000 24`, '“Н” at place 5 (Cyrillic)'],
    [`/buy ${ADDRESS} ${OTHER} 65000 24`, 'I see more than one address in that'],
    [`/bandwidth ${ADDRESS} 10 24`, 'Write a whole number from 350 to 100,000'],
    [`/withdraw ${OTHER} much`, 'Write an amount of TRX'],
    [`/withdraw ${OTHER.slice(0, -1)} 12.5`, 'That address has 33 characters'],
    [`/invoice ${ADDRESS} 101 24`, 'Write a number of transfers from 1 to 100'],
    [`/invoice ${ADDRESS} 2 24 https://example.com`, 'without links'],
    [`/smart ${ADDRESS} ${'x'.repeat(33)}`, 'Write a name of one to 32 characters'],
  ])('%s', async (command, problem) => {
    const chat = await open();
    await chat.write(command);
    expect(chat.last().html).toContain(problem);
    expect(
      chat
        .views()
        .map(({ html }) => html)
        .join(),
    ).not.toContain(CHECK);
    expect(await chat.setup.storage.keys('operation:')).toEqual([]);
    // The question is still open.
    await chat.tap(answerData('cancel'));
    expect(chat.last().html).toContain('Stopped');
  });
});

test.each([
  [
    '/buy main wallet 65000 24',
    { kind: 'energy', address: ADDRESS, energy_amount: 65_000, duration_hours: 24 },
  ],
  ['/buy Main 65000 1', { kind: 'energy', address: OTHER, energy_amount: 65_000, duration_hours: 1 }],
  ['/activate MAIN', { kind: 'activation', address: OTHER }],
  ['/withdraw main 12.5', { kind: 'withdrawal', address: OTHER, trx: '12.50' }],
])('%s is matched to the longest address name', async (command, request) => {
  const chat = await open();
  await chat.deps.addressBook.setName(USER, ADDRESS, 'Main wallet');
  await chat.deps.addressBook.setName(USER, OTHER, 'Main');
  await chat.write(command);
  expect(await requested(chat)).toMatchObject(request);
});

describe('words that match no known address never select the default address', () => {
  test.each([
    '/buy Mum 65000 24',
    '/buy Mainz 65000 24',
    '/buy 65000 24 Mum',
    '/buy ADDRESS 65000 24',
    '/buy 0x742d35Cc6634C0532925a3b844Bc454e4438f44e 65000 24',
    '/buy TR7NHq 65000 24',
    '/bandwidth Mum 350 1',
  ])('%s', async (command) => {
    const chat = await open();
    await chat.deps.addressBook.setName(USER, ADDRESS, 'Main');
    await chat.deps.addressBook.setDefault(USER, ADDRESS);
    await chat.write(command);
    expect(chat.last().html).toMatch(/I find neither an address in “(Mum|Mainz|ADDRESS|0x742d|TR7NHq)/);
    expect(chat.last().html).toContain('Which address');
    expect(chat.last().html).not.toContain('Your default address');
    // The other arguments are kept.
    await chat.write(OTHER);
    const { address } = (await requested(chat)) as { address: string };
    expect(address).toBe(OTHER);
  });
});

test('asks only for the address if the command had a wrong one', async () => {
  const chat = await open();
  await chat.write(`/buy ${ADDRESS.slice(0, -1)} 65000 24`);
  expect(chat.last().html).toContain('That address has 33 characters');
  expect(chat.last().html).toContain('Which address');
  await chat.write(ADDRESS);
  expect(await requested(chat)).toMatchObject({
    address: ADDRESS,
    energy_amount: 65_000,
    duration_hours: 24,
  });
});

test('offers both addresses of a command as buttons and keeps the other arguments', async () => {
  const chat = await open();
  await chat.write(`/buy ${ADDRESS} ${OTHER} 65000 1`);
  await chat.tap(answerData(OTHER));
  expect(await requested(chat)).toMatchObject({ address: OTHER, energy_amount: 65_000, duration_hours: 1 });
});

test.each([
  [`/withdraw 12.5 USDT ${OTHER}`, 'USDT'],
  [`/withdraw ${OTHER} 5 usdt`, 'usdt'],
  [`/activate ${ADDRESS} now`, 'now'],
])('shows the unknown part of %s before any card', async (command, left) => {
  const chat = await open();
  await chat.write(command);
  expect(chat.last().html).toContain(`I don't understand “${left}” there`);
  expect(await chat.setup.storage.keys('operation:')).toEqual([]);
});

test('remembers an address after Confirm, not when its card is shown', async () => {
  const chat = await open();
  await chat.write(`/activate ${ADDRESS}`);
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([]);
  const confirm = chat
    .last()
    .keyboard.flat()
    .find((one) => 'callback_data' in one && one.callback_data.includes('confirm'));
  await chat.tap(confirm && 'callback_data' in confirm ? confirm.callback_data : '', { carried: true });
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([{ address: ADDRESS }]);
});

test('defaults fill omitted arguments of commands and flows', async () => {
  const chat = await open();
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  await chat.write('/settings');
  await chat.tap('settings:hours:24');
  await chat.write('/buy 65000');
  expect(await requested(chat)).toMatchObject({
    address: ADDRESS,
    energy_amount: 65_000,
    duration_hours: 24,
  });
  await chat.write(`/buy ${OTHER} 65000 1`);
  expect(await requested(chat)).toMatchObject({ address: OTHER, duration_hours: 1 });
  await chat.write('cancel');
  await chat.write('/buy');
  expect(chat.last().html).toContain('Your default address: ★');
  expect(chat.last().html).toContain('What is it for?');
  await chat.tap(answerData('holder'));
  expect(
    chat
      .views()
      .map(({ html }) => html)
      .join(),
  ).toContain('By your default, for 24 hours.');
  expect(await requested(chat)).toMatchObject({ address: ADDRESS, duration_hours: 24 });
  await chat.write(`/bandwidth ${OTHER} 350`);
  expect(await requested(chat)).toMatchObject({ kind: 'bandwidth', address: OTHER, duration_hours: 24 });
  await chat.write(`/invoice ${OTHER} 2`);
  expect(await requested(chat)).toMatchObject({ kind: 'invoice', duration_hours: 24 });
});

test('Back leads to questions answered by defaults; withdrawals and activations use no default', async () => {
  const chat = await open();
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  await chat.tap('settings:hours:1');
  await chat.write('/buy');
  await chat.tap(answerData('back'));
  expect(chat.last().html).toContain('Which address');
  await chat.write(OTHER);
  await chat.tap(answerData('holder'));
  expect(await requested(chat)).toMatchObject({ address: OTHER, duration_hours: 1 });
  const back = chat
    .last()
    .keyboard.flat()
    .find((one) => 'callback_data' in one && one.callback_data.includes('back'));
  await chat.tap(back && 'callback_data' in back ? back.callback_data : '', { carried: true });
  expect(
    chat
      .views()
      .slice(-2)
      .map(({ html }) => html)
      .join(),
  ).toContain('For how long?');
  await chat.write('/withdraw 12.5');
  expect(chat.last().html).toContain('Which address');
  await chat.write('/activate');
  expect(chat.last().html).toContain('Which address shall I activate');
});

test('a command without arguments ignores additional words', async () => {
  const chat = await open();
  await chat.write('/prices now');
  expect(chat.last().html).toContain('What it costs right now');
});

test('/buy leads a guest to an invoice and keeps all arguments', async () => {
  const chat = await open({ linked: false });
  await chat.write(`/buy ${ADDRESS} 65000 24`);
  const wish = { kind: 'invoice', address: ADDRESS, energy_amount: 65_000, duration_hours: 24 };
  expect(await requested(chat)).toMatchObject(wish);
  await chat.write('cancel');
  await chat.write('/buy');
  expect(chat.last().html).toContain('<b>Buy energy</b> · 1 of 3');
  await chat.tap(`energy:to:${OTHER}`);
  expect(chat.last().html).toContain(`For: <code>${OTHER}</code>`);
});

test('without an operator key, commands reply to guests that they need an account', async () => {
  const chat = await open({ linked: false, operatorKey: undefined });
  for (const command of ['/buy', `/buy ${ADDRESS} 65000 24`, `/bandwidth ${ADDRESS} 350 24`]) {
    await chat.write(command);
    expect(chat.last().html).toContain('For this you need an account');
  }
});

test('a complete command starts nothing during maintenance', async () => {
  const chat = await open();
  await chat.deps.maintenance.turnOn(504);
  await chat.write(`/buy ${ADDRESS} 65000 24`);
  expect(chat.last().html).toBe(chat.words.html('maintenance'));
  expect(await chat.setup.storage.keys('operation:')).toEqual([]);
});

describe('a default value', () => {
  async function withDefault(codes = true): Promise<Chat> {
    const chat = await open({}, codes);
    await chat.deps.addressBook.setDefault(USER, ADDRESS);
    return chat;
  }

  test.each(['/activate', '/invoice', 'smart-mode:start', '/withdraw 12.5'])(
    'is not used for %s',
    async (way) => {
      const chat = await withDefault();
      await (way.startsWith('/') ? chat.write(way) : chat.tap(way));
      expect(chat.last().html).toMatch(/Which address/);
    },
  );

  test('is not mentioned if the command contains another address', async () => {
    const chat = await withDefault();
    await chat.write(`/buy ${OTHER}`);
    expect(chat.last().html).toContain(`To: <code>${OTHER}</code>`);
    expect(chat.last().html).not.toContain('default');
  });

  test('for hours is turned off by the third tap and rejects forged values', async () => {
    const chat = await open();
    await chat.write('/settings');
    for (const [tap, says] of [
      ['settings:hours:1', 'Hours: 1'],
      ['settings:hours:24', 'Hours: 24'],
      ['settings:hours:ask', 'Hours: ask'],
      ['settings:hours:5', 'Hours: ask'],
    ] as const) {
      await chat.tap(tap, { carried: true });
      const labels = Object.entries(buttonsOf(chat.last()));
      expect(labels.find(([label]) => label.includes('Hours'))?.[0]).toContain(says);
    }
    for (const tap of ['settings:hours:1', 'settings:hours:24']) await chat.tap(tap, { carried: true });
    expect(Object.values(buttonsOf(chat.last()))).toContain('settings:hours:ask');
  });
});

test('uses a given address only once: after Back, asks for it again', async () => {
  const chat = await open({}, false);
  await chat.write(`/withdraw ${OTHER}`);
  await chat.write('12.5');
  expect(chat.last().html).toContain('last 6 characters');
  for (const _ of ['to the address', 'to the amount']) await chat.tap(answerData('back'));
  await chat.write('7');
  expect(chat.last().html).toContain('Which address');
});

test('after choosing one of two addresses, Back leads to the known addresses', async () => {
  const chat = await open();
  await chat.write('/buy');
  await chat.write(`${ADDRESS} ${OTHER}`);
  await chat.tap(answerData(OTHER));
  await chat.tap(answerData('back'));
  expect(Object.values(buttonsOf(chat.last()))).not.toContain(answerData(ADDRESS));
});

test('limits the stored length of command arguments', async () => {
  const chat = await open();
  // The bot first asks for the wrong address again and stores the other arguments.
  await chat.write(`/buy ${ADDRESS.slice(0, -1)} ${'9 '.repeat(1_900)}`);
  const { chats } = chat.setup.storage;
  const begun = await chats.begin({ chat: USER, update: 99_999, token: 't', leaseMs: 1_000 });
  const kept = begun.kind === 'granted' ? (begun.conversation ?? '') : '';
  expect(kept).toContain('9 9 9');
  expect(kept.length).toBeLessThan(1_000);
});

test('rejects the own deposit address for a withdrawal, also when tapped', async () => {
  const chat = await open();
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.write('/withdraw 12.5');
  await chat.tap(answerData(ADDRESS));
  expect(chat.last().html).toContain('deposit');
  expect(await chat.setup.storage.keys('operation:')).toEqual([]);
});

test('a card starts with its state; used defaults and stopped flows are mentioned below', async () => {
  const chat = await open();
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  await chat.tap('settings:hours:24');
  await chat.write('/withdraw');
  await chat.write('/buy 65000');
  const card = chat.views().find(({ html }) => html.includes(CHECK))?.html ?? '';
  expect(card.startsWith('<b>Check before you confirm')).toBe(true);
  expect(card).toContain('By your default, for 24 hours.');
  await chat.write('/withdraw');
  await chat.write(`/activate ${OTHER}`);
  const next = chat.views().findLast(({ html }) => html.includes(CHECK))?.html ?? '';
  expect(next.startsWith('<b>Check before you confirm')).toBe(true);
  expect(next).toContain('I stopped what you had begun');
});
