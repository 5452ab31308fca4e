import { describe, expect, test } from 'vitest';
import { MAX_NAMED } from '../../src/accounts/address-book.ts';
import { addressTail } from '../../src/bot/address-views.ts';
import { LANGUAGES } from '../../src/i18n/texts.ts';
import { answerData } from '../../src/i18n/view.ts';
import { buttonsOf, expectWithinLimits } from '../i18n/telegram-limits.ts';
import { USER } from '../operations/operations-setup.ts';
import { ADDRESS } from '../operations/rental-stand-in.ts';
import { openChat } from './chat.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
/** Two addresses with the same first and last characters. */
const [KNOWN, ALIKE] = ['TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk', 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk'];
const USE = 'What would you like to do with it?';

type Chat = Awaited<ReturnType<typeof openChat>>;

const dataOf = (chat: Chat) => Object.values(buttonsOf(chat.last()));

describe.each(LANGUAGES)('in %s', (language) => {
  test('address views stay within the limits of Telegram and have at most eight buttons', async () => {
    const chat = await openChat(language);
    const { addressBook } = chat.deps;
    await chat.links.setMerchant(USER, true);
    await addressBook.setName(USER, ADDRESS, 'x'.repeat(24));
    await addressBook.setName(USER, OTHER, '<b>&"');
    for (const address of [KNOWN, ALIKE]) await addressBook.setName(USER, address, address.slice(0, 12));
    await addressBook.setDefault(USER, ADDRESS);
    for (const data of [
      'addresses:open',
      `addresses:one:${ADDRESS}`,
      `addresses:one:${OTHER}`,
      `addresses:use:${OTHER}`,
      `addresses:remove:${OTHER}`,
    ]) {
      await chat.tap(data);
      expectWithinLimits(chat.last());
      expect(dataOf(chat).length, data).toBeLessThanOrEqual(8);
    }
  });
});

test('a pasted address offers all operations, each of which starts with that address', async () => {
  const questions = [
    ['energy', 'What is it for?'],
    ['bandwidth', 'How much'],
    ['activation', 'Check before you confirm'],
    ['smart-mode', 'name'],
    ['invoice', 'How much?'],
    ['withdraw', 'How much'],
  ] as const;
  for (const [feature, question] of questions) {
    const chat = await openChat('en');
    await chat.write(`please use ${ADDRESS}`);
    expect(chat.last().html).toContain(USE);
    expect(chat.last().html).toContain(`<code>${ADDRESS}</code>`);
    expect(dataOf(chat)).toContain(`${feature}:to:${ADDRESS}`);
    await chat.tap(`${feature}:to:${ADDRESS}`, { carried: true });
    expect(chat.last().html, feature).toContain(question);
  }
});

test('offers a guest an invoice and linking an account', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.write(ADDRESS);
  expect(dataOf(chat)).toContain(`invoice:to:${ADDRESS}`);
  expect(dataOf(chat)).toContain('link:open');
  expect(dataOf(chat).join()).not.toMatch(/withdraw|energy:to|smart-mode/);
  await chat.tap(`invoice:to:${ADDRESS}`);
  expect(chat.last().html).toContain('How much?');
});

test('without an operator key, replies to a guest that an account is needed', async () => {
  const chat = await openChat('en', { linked: false, operatorKey: undefined });
  await chat.write(ADDRESS);
  expect(chat.last().html).toContain('you need an account');
});

test.each([
  ['below a picture', { caption: `for ${ADDRESS}`, photo: [] }],
  [
    'behind a link',
    {
      text: 'here',
      entities: [
        {
          type: 'text_link' as const,
          offset: 0,
          length: 4,
          url: `https://tronscan.org/#/address/${ADDRESS}`,
        },
      ],
    },
  ],
  [
    'by /addresses',
    { text: `/addresses ${ADDRESS}`, entities: [{ type: 'bot_command' as const, offset: 0, length: 10 }] },
  ],
])('finds an address %s', async (_, message) => {
  const chat = await openChat('en');
  await chat.bring(message);
  expect(chat.last().html).toContain(USE);
});

test('asks which address is meant when a message contains several', async () => {
  const chat = await openChat('en');
  await chat.write(`${ADDRESS} or ${OTHER}?`);
  expect(chat.last().html).toContain('Which one do you mean?');
  for (const address of [ADDRESS, OTHER]) expect(chat.last().html).toContain(`<code>${address}</code>`);
  await chat.tap(`addresses:use:${OTHER}`, { carried: true });
  expect(chat.last().html).toContain(`<code>${OTHER}</code>`);
  expect(chat.last().html).not.toContain(ADDRESS);
  await chat.write(
    Array.from(
      { length: 3 },
      () => `${ADDRESS} ${OTHER} ${KNOWN} ${ALIKE} TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig`,
    ).join(' '),
  );
  expect(chat.last().html).toContain('I see very many addresses');
});

test('at an address question, offers each address of the message as an answer', async () => {
  const chat = await openChat('en');
  await chat.write('/buy');
  await chat.write(`${ADDRESS} or ${OTHER}?`);
  expect(chat.last().html).toContain('Which one do you mean?');
  expect(dataOf(chat).slice(0, 2)).toEqual([answerData(ADDRESS), answerData(OTHER)]);
  await chat.tap(answerData(OTHER));
  expect(chat.last().html).toContain(`To: <code>${OTHER}</code>`);
});

test.each([
  [`${ADDRESS.slice(0, 4)}Н${ADDRESS.slice(5)}`, '“Н” at place 5 (Cyrillic)'],
  [ADDRESS.slice(0, -1), 'That address has 33 characters'],
  [ADDRESS.replace('Hq', 'hQ'), 'one of its characters is wrong'],
  [ADDRESS.toLowerCase(), 'in small letters only'],
])('explains what is wrong with %s and offers no action', async (text, problem) => {
  const chat = await openChat('en');
  await chat.write(text);
  expect(chat.last().html).toContain(problem);
  expect(dataOf(chat)).toEqual(['menu:open']);
});

test('at a question that expects no address, offers to start over with it', async () => {
  const chat = await openChat('en');
  await chat.write('/buy');
  await chat.write(ADDRESS);
  await chat.write(`rather ${OTHER}`);
  expect(chat.last().html).toContain('write an exact amount');
  expect(dataOf(chat)[0]).toBe(`addresses:use:${OTHER}`);
  await chat.tap(answerData('holder'));
  expect(chat.last().html).toContain(`<code>${ADDRESS}</code>`);
  await chat.write(OTHER);
  await chat.tap(`addresses:use:${OTHER}`, { carried: true });
  expect(chat.last().html).toContain('I stopped what you had begun');
  expect(chat.last().html).toContain(USE);
});

test('a card can still be confirmed after the user pastes another address', async () => {
  const chat = await openChat('en');
  await chat.write(`/activate ${ADDRESS}`);
  const [card, confirm = ''] = [chat.lastMessage(), dataOf(chat).find((data) => data.includes('confirm'))];
  await chat.write(OTHER);
  expect(chat.last().html).toContain(USE);
  await chat.tap(confirm, { message: card, carried: true });
  expect(await chat.setup.read({ user: USER, id: confirm.split(':')[2] ?? '' })).toMatchObject({
    state: 'claimed',
  });
});

test('warns about an address similar to a known one and saves it only after confirmation', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(ALIKE);
  expect(chat.last().html).toContain('Look closely');
  expect(chat.last().html).toContain(KNOWN.replace(/.{4}(?=.)/g, '$& '));
  await chat.tap(`addresses:save:${ALIKE}`, { carried: true });
  expect(chat.last().html).toContain('Look closely');
  await chat.tap(answerData('yes'));
  await chat.write('The other');
  expect((await chat.deps.addressBook.get(USER)).addresses[0]).toEqual({
    address: ALIKE,
    name: 'The other',
  });
});

test('names can be saved, changed and used as answers, and must be unique', async () => {
  const chat = await openChat('en');
  await chat.tap(`addresses:save:${ADDRESS}`);
  expect(chat.last().html).toContain('What shall I call it?');
  await chat.write('Main wallet');
  expect(chat.last().html).toContain('<b>Main wallet</b>');
  await chat.tap('addresses:add');
  await chat.write(OTHER);
  await chat.write('main WALLET');
  expect(chat.last().html).toContain('is the name of another address already');
  expect(chat.last().html).toContain(ADDRESS);
  await chat.write('Cold');
  await chat.tap(`addresses:rename:${OTHER}`);
  await chat.write('Colder');
  for (const [name, address] of [
    ['colder', OTHER],
    ['Main wallet', ADDRESS],
  ]) {
    await chat.write('/buy');
    expect(Object.keys(buttonsOf(chat.last()))[0]).toMatch(/^(Colder|Main wallet) · /);
    await chat.write(name ?? '');
    expect(chat.last().html).toContain(`To: <code>${address}</code>`);
  }
});

test.each([['x'.repeat(25)], [' \u200b '], [ADDRESS], ['65000'], ['a'.repeat(20)]])(
  'rejects %j as a name and explains what is allowed',
  async (name) => {
    const chat = await openChat('en');
    await chat.tap(`addresses:save:${OTHER}`);
    await chat.write(name);
    expect(chat.last().html).toContain('Write a name of 1 to 24 characters');
    expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([]);
  },
);

test('refuses a new name before asking for it when the address book is full', async () => {
  const chat = await openChat('en');
  for (let at = 0; at < MAX_NAMED; at++) await chat.deps.addressBook.setName(USER, `T${at}`, `n${at}`);
  await chat.tap(`addresses:save:${OTHER}`);
  expect(chat.last().html).toContain(`You have named ${MAX_NAMED} addresses`);
});

test('the default address comes first in questions and can be unset and removed', async () => {
  const chat = await openChat('en');
  for (const address of [ADDRESS, OTHER]) await chat.deps.addressBook.remember(USER, address);
  await chat.tap(`addresses:one:${ADDRESS}`);
  await chat.tap(`addresses:prefer:${addressTail(ADDRESS)}`);
  expect(chat.last().html).toContain('★ <b>Address</b> · your default');
  await chat.write('/activate');
  expect(Object.keys(buttonsOf(chat.last()))[0]).toMatch(/^★ TR7NHq/);
  await chat.write('/settings');
  expect(chat.last().html).toContain('★ TR7NHq');
  await chat.tap(`addresses:prefer-none:${addressTail(ADDRESS)}`);
  expect(chat.last().html).not.toContain('★');
  await chat.tap(`addresses:remove:${ADDRESS}`);
  expect(chat.last().html).toContain('Remove it from your addresses?');
  await chat.tap(`addresses:remove-yes:${addressTail(ADDRESS)}`);
  expect(chat.last().html).toContain('Removed');
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([{ address: OTHER }]);
});

test('splits a long address book into pages', async () => {
  const chat = await openChat('en');
  for (let at = 0; at < 8; at++) await chat.deps.addressBook.setName(USER, `T${at}`, `n${at}`);
  await chat.write('/addresses');
  expect(chat.last().html).toContain('n7');
  expect(chat.last().html).not.toContain('<b>n1</b>');
  await chat.tap('addresses:page:6');
  expect(chat.last().html).toContain('8. <b>n0</b>');
  expect(dataOf(chat)).toContain('addresses:open');
});

test.each([
  'use:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u',
  'one:nothing',
  `one:${OTHER}`,
  `prefer:${addressTail(OTHER)}`,
  `remove-yes:${addressTail(OTHER)}`,
  `rename:${OTHER}`,
  `remove:${OTHER}`,
  'save:',
])('a forged tap on %s changes nothing and gets a toast', async (made) => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.tap(`addresses:${made}`);
  expect(chat.toast()).toBeDefined();
  expect(await chat.deps.addressBook.get(USER)).toEqual({ addresses: [{ address: ADDRESS }] });
});

test('rejects an invalid address in forged button data', async () => {
  const chat = await openChat('en');
  await chat.tap('energy:to:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u');
  expect(chat.last().html).toContain('There is a mistake in that address');
});

test('a message without an address gets the fallback reply', async () => {
  const chat = await openChat('en');
  await chat.write('hello');
  expect(chat.last().html).toContain("I didn't understand that");
});

test('a similarity warning shows the known address before the given one', async () => {
  const fours = (address: string) => address.replace(/.{4}(?=.)/g, '$& ');
  const told = new RegExp(`Yours: ${fours(KNOWN)}[^]*This one: ${fours(ALIKE)}`);
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(ALIKE);
  expect(chat.last().html).toMatch(told);
  await chat.tap('addresses:add');
  await chat.write(ALIKE);
  expect(chat.last().html).toMatch(told);
  await chat.tap(answerData('back'));
  expect((await chat.deps.addressBook.get(USER)).addresses).toEqual([{ address: KNOWN }]);
});

test('escapes HTML in address names in all views', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.setName(USER, ADDRESS, '<b>&"x');
  await chat.deps.addressBook.setDefault(USER, ADDRESS);
  for (const data of ['open', `one:${ADDRESS}`, `use:${ADDRESS}`, `remove:${ADDRESS}`]) {
    await chat.tap(`addresses:${data}`);
    expect(chat.last().html, data).toContain('&#60;b&#62;&#38;&#34;x');
  }
  await chat.write('/settings');
  expect(chat.last().html).toContain('&#60;b&#62;&#38;&#34;x');
});

test.each([
  ['Cold · A', 'contains the separator of button labels'],
  ['Yes', 'a word that confirms'],
  ['подтвердить', 'a Russian word that confirms'],
  ['🔥', 'contains no letter'],
])('rejects the name %s: %s', async (name) => {
  const chat = await openChat('en');
  await chat.tap(`addresses:save:${OTHER}`);
  await chat.write(name);
  expect(chat.last().html).toContain('Write a name of 1 to 24 characters');
});

test('treats names that differ only in case or surrounding symbols as equal', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.setName(USER, ADDRESS, 'Kraken +');
  for (const name of ['kraken', 'Kraken -', '🔥 KRAKEN']) {
    await chat.tap(`addresses:save:${OTHER}`);
    await chat.write(name);
    expect(chat.last().html, name).toContain('is the name of another address already');
  }
  await chat.write('Twenty-four letters here');
  expect(chat.last().html).toContain('<b>Twenty-four letters here</b>');
  await chat.tap(`addresses:rename:${ADDRESS}`);
  await chat.write('KRAKEN');
  expect(chat.last().html).toContain('<b>KRAKEN</b>');
});

test('shows a button for each of four addresses, at a question and without one', async () => {
  const four = [ADDRESS, OTHER, KNOWN, 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig'];
  const chat = await openChat('en');
  await chat.write(four.join(' '));
  expect(dataOf(chat).slice(0, 4)).toEqual(four.map((address) => `addresses:use:${address}`));
  await chat.write('/buy');
  await chat.write(four.join(' '));
  expect(dataOf(chat).slice(0, 4)).toEqual(four.map((address) => answerData(address)));
});

test('finds an address behind a link in a photo caption', async () => {
  const chat = await openChat('en');
  const url = `https://tronscan.org/#/address/${ADDRESS}`;
  const caption_entities = [{ type: 'text_link' as const, offset: 0, length: 4, url }];
  await chat.bring({ caption: 'here', caption_entities, photo: [] });
  expect(chat.last().html).toContain(USE);
});

test('does not save a similar address although an operation with it was confirmed', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(`/activate ${ALIKE}`);
  expect(chat.last().html).toContain('Look closely');
  const confirm = dataOf(chat).find((data) => data.includes('confirm')) ?? '';
  await chat.tap(confirm, { carried: true });
  expect(await chat.setup.read({ user: USER, id: confirm.split(':')[2] ?? '' })).toMatchObject({
    state: 'claimed',
  });
  expect(await chat.deps.addressBook.get(USER)).toEqual({ addresses: [{ address: KNOWN }] });
});
