import { describe, expect, test } from 'vitest';
import { NAMED_MOST } from '../../../src/accounts/book.ts';
import { tailOf } from '../../../src/bot/known-addresses.ts';
import { answerData } from '../../../src/texts/callback-data.ts';
import { LANGUAGES } from '../../../src/texts/texts.ts';
import { ADDRESS } from '../../operations/rental-stand-in.ts';
import { USER } from '../../operations/room.ts';
import { buttonsOf, expectWithinLimits } from '../../texts/telegram-limits.ts';
import { openChat } from './chat.ts';

const OTHER = 'TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4';
/** The same at both ends. */
const [KNOWN, ALIKE] = ['TJCLNmsxAudk8BnFmKvSQdyc18Fc5dxAwk', 'TJCLNmsxAvBBZX4hQqBqAqhq5M5iLCxAwk'];
const USE = 'What would you like to do with it?';

type Chat = Awaited<ReturnType<typeof openChat>>;

const dataOf = (chat: Chat) => Object.values(buttonsOf(chat.last()));

describe.each(LANGUAGES)('in %s', (language) => {
  test('the book, an address in it and what can be done with one are within the limits, with eight buttons at most', async () => {
    const chat = await openChat(language);
    const { addressBook } = chat.deps;
    await chat.links.sell(USER, true);
    await addressBook.name(USER, ADDRESS, 'x'.repeat(24));
    await addressBook.name(USER, OTHER, '<b>&"');
    for (const address of [KNOWN, ALIKE]) await addressBook.name(USER, address, address.slice(0, 12));
    await addressBook.prefer(USER, ADDRESS);
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

test('a pasted address offers all that its owner can do with it, and each begins with it', async () => {
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

test('a guest is offered an invoice and the way to an account', async () => {
  const chat = await openChat('en', { linked: false });
  await chat.write(ADDRESS);
  expect(dataOf(chat)).toContain(`invoice:to:${ADDRESS}`);
  expect(dataOf(chat)).toContain('link:open');
  expect(dataOf(chat).join()).not.toMatch(/withdraw|energy:to|smart-mode/);
  await chat.tap(`invoice:to:${ADDRESS}`);
  expect(chat.last().html).toContain('How much?');
});

test('who can pay with nothing is told that an account is needed', async () => {
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
])('an address is found %s too', async (_, message) => {
  const chat = await openChat('en');
  await chat.bring(message);
  expect(chat.last().html).toContain(USE);
});

test('of two different ones it is asked which is meant', async () => {
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

test('in a question for an address it is asked the same, and each of the two is an answer', async () => {
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
])('of %s it is said what is wrong, and nothing is offered to be done with it', async (text, problem) => {
  const chat = await openChat('en');
  await chat.write(text);
  expect(chat.last().html).toContain(problem);
  expect(dataOf(chat)).toEqual(['menu:open']);
});

test('amid a question for something else an address is no answer, and can be begun with instead', async () => {
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

test('at a card an address begins something else; the card stays and can be confirmed', async () => {
  const chat = await openChat('en');
  await chat.write(`/activate ${ADDRESS}`);
  const [card, confirm = ''] = [chat.lastMessage(), dataOf(chat).find((data) => data.includes('confirm'))];
  await chat.write(OTHER);
  expect(chat.last().html).toContain(USE);
  await chat.tap(confirm, { message: card, carried: true });
  expect(await chat.room.read({ user: USER, id: confirm.split(':')[2] ?? '' })).toMatchObject({
    state: 'claimed',
  });
});

test('one that looks like a known one is shown beside it, wherever it comes from, and is kept only by a tap more', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(ALIKE);
  expect(chat.last().html).toContain('Look closely');
  expect(chat.last().html).toContain(KNOWN.replace(/.{4}(?=.)/g, '$& '));
  await chat.tap(`addresses:save:${ALIKE}`, { carried: true });
  expect(chat.last().html).toContain('Look closely');
  await chat.tap(answerData('yes'));
  await chat.write('The other');
  expect((await chat.deps.addressBook.known(USER)).addresses[0]).toEqual({
    address: ALIKE,
    name: 'The other',
  });
});

test('a name is kept, changed, refused where another address has it, and understood where an address is asked for', async () => {
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
  '%j is no name: it is said what is one',
  async (name) => {
    const chat = await openChat('en');
    await chat.tap(`addresses:save:${OTHER}`);
    await chat.write(name);
    expect(chat.last().html).toContain('Write a name of 1 to 24 characters');
    expect((await chat.deps.addressBook.known(USER)).addresses).toEqual([]);
  },
);

test('more names than there is room for are refused before they are asked for', async () => {
  const chat = await openChat('en');
  for (let at = 0; at < NAMED_MOST; at++) await chat.deps.addressBook.name(USER, `T${at}`, `n${at}`);
  await chat.tap(`addresses:save:${OTHER}`);
  expect(chat.last().html).toContain(`You have named ${NAMED_MOST} addresses`);
});

test('the default can be made, is first in every question, and can be taken back; what is removed is gone', async () => {
  const chat = await openChat('en');
  for (const address of [ADDRESS, OTHER]) await chat.deps.addressBook.remember(USER, address);
  await chat.tap(`addresses:one:${ADDRESS}`);
  await chat.tap(`addresses:prefer:${tailOf(ADDRESS)}`);
  expect(chat.last().html).toContain('★ <b>Address</b> · your default');
  await chat.write('/activate');
  expect(Object.keys(buttonsOf(chat.last()))[0]).toMatch(/^★ TR7NHq/);
  await chat.write('/settings');
  expect(chat.last().html).toContain('★ TR7NHq');
  await chat.tap(`addresses:prefer-none:${tailOf(ADDRESS)}`);
  expect(chat.last().html).not.toContain('★');
  await chat.tap(`addresses:remove:${ADDRESS}`);
  expect(chat.last().html).toContain('Remove it from your addresses?');
  await chat.tap(`addresses:remove-yes:${tailOf(ADDRESS)}`);
  expect(chat.last().html).toContain('Removed');
  expect((await chat.deps.addressBook.known(USER)).addresses).toEqual([{ address: OTHER }]);
});

test('more than a page of them can be turned', async () => {
  const chat = await openChat('en');
  for (let at = 0; at < 8; at++) await chat.deps.addressBook.name(USER, `T${at}`, `n${at}`);
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
  `prefer:${tailOf(OTHER)}`,
  `remove-yes:${tailOf(OTHER)}`,
  `rename:${OTHER}`,
  `remove:${OTHER}`,
  'save:',
])('a made-up tap on %s changes nothing and is answered', async (made) => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, ADDRESS);
  await chat.tap(`addresses:${made}`);
  expect(chat.toast()).toBeDefined();
  expect(await chat.deps.addressBook.known(USER)).toEqual({ addresses: [{ address: ADDRESS }] });
});

test('a made-up address behind a flow’s button is refused by its question', async () => {
  const chat = await openChat('en');
  await chat.tap('energy:to:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u');
  expect(chat.last().html).toContain('There is a mistake in that address');
});

test('words without any address get the menu, as ever', async () => {
  const chat = await openChat('en');
  await chat.write('hello');
  expect(chat.last().html).toContain("I didn't understand that");
});

test('a warning names first which address is known, and then which one was given', async () => {
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
  expect((await chat.deps.addressBook.known(USER)).addresses).toEqual([{ address: KNOWN }]);
});

test('a name with signs of HTML stands escaped wherever it is shown', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.name(USER, ADDRESS, '<b>&"x');
  await chat.deps.addressBook.prefer(USER, ADDRESS);
  for (const data of ['open', `one:${ADDRESS}`, `use:${ADDRESS}`, `remove:${ADDRESS}`]) {
    await chat.tap(`addresses:${data}`);
    expect(chat.last().html, data).toContain('&#60;b&#62;&#38;&#34;x');
  }
  await chat.write('/settings');
  expect(chat.last().html).toContain('&#60;b&#62;&#38;&#34;x');
});

test.each([
  ['Cold · A', 'a dot as buttons have it'],
  ['Yes', 'what confirms'],
  ['подтвердить', 'what confirms in Russian'],
  ['🔥', 'no letter'],
])('%s is no name: %s', async (name) => {
  const chat = await openChat('en');
  await chat.tap(`addresses:save:${OTHER}`);
  await chat.write(name);
  expect(chat.last().html).toContain('Write a name of 1 to 24 characters');
});

test('names that are the same for who types them are never two: neither by capitals nor by signs at their ends', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.name(USER, ADDRESS, 'Kraken +');
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

test('each of four addresses has its button, in a question and outside of one', async () => {
  const four = [ADDRESS, OTHER, KNOWN, 'TSPrmJetAMo6S6RxMd4tswzeRCFVegBNig'];
  const chat = await openChat('en');
  await chat.write(four.join(' '));
  expect(dataOf(chat).slice(0, 4)).toEqual(four.map((address) => `addresses:use:${address}`));
  await chat.write('/buy');
  await chat.write(four.join(' '));
  expect(dataOf(chat).slice(0, 4)).toEqual(four.map((address) => answerData(address)));
});

test('an address behind a link below a picture is heard', async () => {
  const chat = await openChat('en');
  const url = `https://tronscan.org/#/address/${ADDRESS}`;
  const caption_entities = [{ type: 'text_link' as const, offset: 0, length: 4, url }];
  await chat.bring({ caption: 'here', caption_entities, photo: [] });
  expect(chat.last().html).toContain(USE);
});

test('one that looks like a known one is none of theirs though something was confirmed for it', async () => {
  const chat = await openChat('en');
  await chat.deps.addressBook.remember(USER, KNOWN);
  await chat.write(`/activate ${ALIKE}`);
  expect(chat.last().html).toContain('Look closely');
  const confirm = dataOf(chat).find((data) => data.includes('confirm')) ?? '';
  await chat.tap(confirm, { carried: true });
  expect(await chat.room.read({ user: USER, id: confirm.split(':')[2] ?? '' })).toMatchObject({
    state: 'claimed',
  });
  expect(await chat.deps.addressBook.known(USER)).toEqual({ addresses: [{ address: KNOWN }] });
});
